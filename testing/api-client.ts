import type { IncomingMessage } from "node:http";
import { Agent, request as httpsRequest } from "node:https";

/** The address of an API server and the credentials for it. */
export interface Connection {
  /** For example `https://127.0.0.1:41234`. */
  url: string;
  /** Certificates that the server's must chain to, PEM. */
  ca: string;
  /** Bearer token. */
  token: string;
}

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** What a test or a stand-in sends to the API server itself, without any client library in between. */
export interface ApiClient {
  /**
   * Sends one request and answers the parsed body; throws ApiError for anything but 2xx.
   * @param body sent as JSON, or as it is when it is a string
   * @param contentType default `application/json`; a PATCH must say which kind of patch it is
   */
  request<T = unknown>(
    method: Method,
    path: string,
    body?: unknown,
    contentType?: string,
  ): Promise<T>;
  /** Server-side apply of one object, fields not in the schema refused. The path names the object. */
  apply<T = unknown>(path: string, object: object, fieldManager?: string): Promise<T>;
  /** The events of a watch request, until the server ends it or the signal aborts. */
  watch<T = unknown>(path: string, signal: AbortSignal): AsyncGenerator<WatchEvent<T>>;
  /** Ends idle connections. */
  close(): void;
}

export interface WatchEvent<T = unknown> {
  type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  object: T;
}

/** A Status that the API server answered in place of the object. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** HTTP status code. */
  readonly status: number;
  /** Kubernetes reason, for example `AlreadyExists`. */
  readonly reason: string;

  constructor(request: string, status: number, body: string) {
    const { reason = "", message = body } = parseStatus(body);
    super(`${request}: ${status} ${reason}: ${message}`);
    this.status = status;
    this.reason = reason;
  }
}

function parseStatus(body: string): { reason?: string; message?: string } {
  try {
    return JSON.parse(body);
  } catch {
    return {};
  }
}

export const applyPatch = "application/apply-patch+yaml";
export const mergePatch = "application/merge-patch+json";

export function connect({ url, ca, token }: Connection): ApiClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 32, ca });
  // A watch holds its connection for good, so it must not take one that requests reuse.
  const watchAgent = new Agent({ keepAlive: false, ca });

  const send = (
    method: Method,
    path: string,
    options: { body?: string; contentType?: string; watch?: AbortSignal } = {},
  ) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const request = httpsRequest(
        new URL(path, url),
        {
          method,
          agent: options.watch === undefined ? agent : watchAgent,
          headers: {
            Authorization: `Bearer ${token}`,
            Accept: "application/json",
            ...(options.body !== undefined && {
              "Content-Type": options.contentType ?? "application/json",
              "Content-Length": Buffer.byteLength(options.body),
            }),
          },
          ...(options.watch !== undefined && { signal: options.watch }),
        },
        resolve,
      );
      request.on("error", reject);
      request.end(options.body);
    });

  const request = async <T = unknown>(
    method: Method,
    path: string,
    body?: unknown,
    contentType?: string,
  ): Promise<T> => {
    const response = await send(method, path, {
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      ...(contentType !== undefined && { contentType }),
    });
    const text = await readAll(response);
    const status = response.statusCode ?? 0;
    if (status < 200 || status > 299) throw new ApiError(`${method} ${path}`, status, text);
    const isJson = response.headers["content-type"]?.startsWith("application/json") ?? false;
    return (isJson ? JSON.parse(text) : text) as T;
  };

  return {
    request,
    apply: (path, object, fieldManager = "harness") =>
      request(
        "PATCH",
        `${path}?fieldManager=${fieldManager}&fieldValidation=Strict&force=true`,
        object,
        applyPatch,
      ),
    async *watch<T>(path: string, signal: AbortSignal) {
      const response = await send("GET", path, { watch: signal });
      const status = response.statusCode ?? 0;
      if (status !== 200) throw new ApiError(`GET ${path}`, status, await readAll(response));
      for await (const line of linesOf(response)) yield JSON.parse(line) as WatchEvent<T>;
    },
    close() {
      agent.destroy();
      watchAgent.destroy();
    },
  };
}

async function readAll(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

async function* linesOf(response: IncomingMessage): AsyncGenerator<string> {
  let rest = "";
  for await (const text of response.setEncoding("utf8")) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    yield* lines.filter((line) => line !== "");
  }
}
