import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";

/** The target of a request: its URL, and the address to connect to. */
export interface Way {
  /** Base URL of the OpenAI API, without a trailing slash. */
  readonly url: string;
  /** Replaces the URL's host and port: an address without DNS, or the local end of a port-forward. */
  readonly dial?: { readonly host: string; readonly port: number } | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Text for people: `Gateway default/qwen-gateway`. */
  readonly through: string;
}

export interface Sending {
  readonly path: string;
  readonly body?: object;
  readonly headers: Readonly<Record<string, string>>;
  readonly insecure: boolean;
  readonly timeoutMs: number;
}

/** Sends one request. Returns the headers, and the body as a stream. */
export function exchange(
  way: Way,
  { path, body, headers, insecure, timeoutMs }: Sending,
): Promise<IncomingMessage> {
  const url = new URL(way.url + path);
  const tls = url.protocol === "https:";
  const content = body === undefined ? undefined : JSON.stringify(body);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const signal = AbortSignal.timeout(timeoutMs);
  const request = (tls ? httpsRequest : httpRequest)(
    {
      method: content === undefined ? "GET" : "POST",
      host: way.dial?.host ?? url.hostname.replace(/^\[|\]$/g, ""),
      port: way.dial?.port ?? (url.port || (tls ? 443 : 80)),
      path: url.pathname + url.search,
      headers: {
        host: url.host,
        accept: "application/json, text/event-stream",
        ...(content !== undefined && {
          "content-type": "application/json",
          "content-length": String(Buffer.byteLength(content)),
        }),
        ...way.headers,
        ...headers,
      },
      ...(tls && { servername: url.hostname, rejectUnauthorized: !insecure }),
      agent: false,
      signal,
    },
    resolve,
  );
  request.on("error", (error) =>
    reject(signal.aborted ? new Error(`no response within ${timeoutMs / 1000} s`) : error),
  );
  request.end(content);
  return promise;
}
