import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";

/** The target of a request: the URL that it names, and the address that is dialled for it. */
export interface Way {
  /** Base URL of the OpenAI API, without a slash at its end. */
  readonly url: string;
  /** In place of the URL's host and port: an address without DNS, or the end of a port-forward. */
  readonly dial?: { readonly host: string; readonly port: number } | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** For people: `Gateway default/qwen-gateway`. */
  readonly through: string;
}

export interface Sending {
  readonly path: string;
  readonly body?: object;
  readonly headers: Readonly<Record<string, string>>;
  readonly insecure: boolean;
  readonly timeoutMs: number;
}

/** Sends one request; answers with its headers, and the body still to come. */
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
