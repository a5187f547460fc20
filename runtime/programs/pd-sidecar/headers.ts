import {
  prefilledByHeader,
  prefillFailedHeader,
  routingHeaders,
} from "../../../scheduling/requests/routing-headers.ts";
import { rankHeader } from "../../epp/request-path/engine-fields.ts";

/** Headers for a single connection (RFC 9110, 7.6.1), which are not forwarded. */
const ofConnection = new Set([
  ...["connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authorization"],
  ...["te", "trailer", "transfer-encoding", "upgrade"],
]);

/**
 * Headers that define the type and the length of a body. `connection` must not name them (RFC 9110, 7.6.1): without
 * them the engine would parse a different body than the sidecar, or a second request after it.
 */
const ofMessage = new Set(["host", "content-length", "content-type", "content-encoding"]);

/** Routing headers, which the sidecar removes. */
const routing: ReadonlySet<string> = new Set([...routingHeaders, rankHeader]);

export const requestIdHeader = "x-request-id";

/** Headers about a prefill that only the sidecar may set, because the picker trusts them. */
const ofSidecar: ReadonlySet<string> = new Set([prefilledByHeader, prefillFailedHeader]);

/** Alternating names and values, as in Node.js. */
export type RawHeaders = readonly string[];

/**
 * Returns the headers to forward and `added`, but without the headers for a single connection and the headers that
 * `isOut` selects.
 *
 * @param connection value of the `connection` header, which may name more headers to remove
 */
function forwarded(
  raw: RawHeaders,
  connection: string | undefined,
  isOut: (name: string) => boolean,
  added: RawHeaders,
): string[] {
  const named = connection === undefined ? undefined : namesIn(connection);
  const headers: string[] = [];
  for (let at = 0; at < raw.length; at += 2) {
    const name = (raw[at] as string).toLowerCase();
    if (ofConnection.has(name) || named?.includes(name) || isOut(name)) continue;
    headers.push(raw[at] as string, raw[at + 1] as string);
  }
  headers.push(...added);
  return headers;
}

const namesIn = (connection: string) =>
  connection
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => !ofMessage.has(name));

export interface Headed {
  readonly rawHeaders: RawHeaders;
  readonly headers: {
    readonly connection?: string | undefined;
    readonly host?: string | undefined;
    readonly "transfer-encoding"?: string | undefined;
  };
}

/**
 * Returns the headers of a request whose body is streamed. They always define where the body ends: Node.js writes the
 * body of a GET without a length unframed, and the engine would parse it as another request.
 */
export function passedHeaders({ rawHeaders, headers }: Headed): string[] {
  const framing =
    headers["transfer-encoding"] === undefined ? [] : ["transfer-encoding", "chunked"];
  const added = [...hostOf(headers), ...framing];
  return forwarded(rawHeaders, headers.connection, (name) => routing.has(name), added);
}

/** Adds a host if an HTTP/1.0 client sent none: requests to engines use HTTP/1.1, which requires one. */
const hostOf = ({ host }: Headed["headers"]): RawHeaders =>
  host === undefined ? ["host", "localhost"] : [];

/** Trace headers of a request to an engine. */
export type TraceHeaders = ReadonlyArray<readonly [name: string, value: string]>;

/** Returns the headers of a request to an engine with a complete body. */
export function engineHeaders(
  { rawHeaders, headers }: Headed,
  body: Buffer,
  added: Readonly<Record<string, string>>,
  trace: TraceHeaders = [],
): string[] {
  // The sidecar parses responses to disaggregated requests, and an uncompressed stream arrives sooner.
  const isRead = Object.keys(added).length > 0;
  const isOut = (name: string) =>
    name === "content-length" ||
    (isRead && name === "accept-encoding") ||
    routing.has(name) ||
    Object.hasOwn(added, name) ||
    trace.some(([traced]) => traced === name);
  return forwarded(rawHeaders, headers.connection, isOut, [
    ...["content-length", String(body.length)],
    ...hostOf(headers),
    ...Object.entries(added).flat(),
    ...trace.flat(),
  ]);
}

/** Returns the headers of an engine's response, without headers that only the sidecar may set. */
export const answerHeaders = (
  { rawHeaders, headers }: Headed,
  without: string | undefined,
  added: RawHeaders,
): string[] =>
  forwarded(
    rawHeaders,
    headers.connection,
    (name) => name === without || ofSidecar.has(name),
    added,
  );

/**
 * Headers of a prefiller's or an encoder's refusal that are relayed: the ones that describe the body, the request id
 * and the time to wait. All other headers are removed, because they affect the origin, such as `set-cookie`, `location`
 * or `strict-transport-security`, or the gateway, such as its destination header.
 */
const ofRefusal: ReadonlySet<string> = new Set([
  ...["content-type", "content-encoding", "content-language", "date", "retry-after"],
  requestIdHeader,
]);

/** Returns the headers of a refusal whose body has been read. */
export const refusalHeaders = ({ rawHeaders, headers }: Headed, body: Buffer): string[] =>
  forwarded(rawHeaders, headers.connection, (name) => !ofRefusal.has(name), [
    ...["content-length", String(body.length)],
  ]);
