import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { request as httpsRequest, type RequestOptions } from "node:https";
import { text } from "node:stream/consumers";
import type { KubeConfig } from "@kubernetes/client-node";
import { Misuse } from "../exit-code.ts";
import type { Seen } from "./observation.ts";

/** Asks an API server for single objects; refusals and absence are answers, not errors. */
export interface ApiReader {
  get<T>(path: string, headers?: Readonly<Record<string, string>>): Promise<Seen<T>>;
  /** For reviews and tokens, which are created to be answered and are not kept. */
  review<T>(path: string, body: object): Promise<Seen<T>>;
}

/** Exit code 2 for every command: there is no connection, no answer, or none that an API server gives. */
const unreachable = (server: string, why: string) =>
  new Misuse(
    `the API server ${server} cannot be asked: ${why}; name another cluster with --context or --kubeconfig`,
  );

const timeoutMs = 10_000;

export function apiReader(config: KubeConfig): ApiReader {
  const server = config.getCurrentCluster()?.server ?? "";
  const send = async <T>(
    method: "GET" | "POST",
    path: string,
    body?: object,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Seen<T>> => {
    const address = server.replace(/\/$/, "") + path;
    if (!URL.canParse(address)) throw unreachable(JSON.stringify(server), "that is no URL");
    const url = new URL(address);
    const { status, content } = await exchange(config, url, { method, body, headers }).catch(
      (error: Error) => {
        throw unreachable(server, error.message || String((error as NodeJS.ErrnoException).code));
      },
    );
    if (status === 404) return { state: "absent" };
    if (status === 401 || status === 403) return { state: "hidden", why: messageOf(content) };
    if (status < 200 || status > 299) {
      throw unreachable(server, `${path} answers ${status}: ${messageOf(content)}`);
    }
    return { state: "seen", value: parsed<T>(server, content) };
  };
  return {
    get: (path, headers) => send("GET", path, undefined, headers),
    review: (path, body) => send("POST", path, body),
  };
}

function parsed<T>(server: string, content: string): T {
  try {
    return JSON.parse(content) as T;
  } catch {
    throw unreachable(server, "what answers there is no API server");
  }
}

async function exchange(
  config: KubeConfig,
  url: URL,
  {
    method,
    body,
    headers,
  }: {
    readonly method: string;
    readonly body: object | undefined;
    readonly headers: Readonly<Record<string, string>> | undefined;
  },
) {
  const options: RequestOptions = {
    method,
    headers: { accept: "application/json", "content-type": "application/json", ...headers },
    timeout: timeoutMs,
  };
  await config.applyToHTTPSOptions(options);
  const request = (url.protocol === "http:" ? httpRequest : httpsRequest)(url, options);
  request.on("timeout", () => request.destroy(new Error(`no answer in ${timeoutMs / 1000} s`)));
  request.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = await once(request, "response");
  return { status: response.statusCode as number, content: await text(response) };
}

/** The message of a Kubernetes Status, else the beginning of what came. */
function messageOf(content: string): string {
  try {
    return (JSON.parse(content) as { message?: string }).message ?? content.slice(0, 200);
  } catch {
    return content.slice(0, 200);
  }
}
