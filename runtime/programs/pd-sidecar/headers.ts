import {
  prefilledByHeader,
  prefillFailedHeader,
  routingHeaders,
} from "../../../scheduling/routing-headers.ts";
import { rankHeader } from "../../epp/request-path/engine-fields.ts";

/** Headers of one connection (RFC 9110, 7.6.1). */
const ofConnection = new Set([
  ...["connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authorization"],
  ...["te", "trailer", "transfer-encoding", "upgrade"],
]);

/**
 * Headers that say what a message is, and where it ends. `connection` must not name them (RFC 9110, 7.6.1): without them the
 * engine would read another body than the sidecar did, or another request behind it.
 */
const ofMessage = new Set(["host", "content-length", "content-type", "content-encoding"]);

/** Headers by which a request is routed: they end here. */
const routing: ReadonlySet<string> = new Set([...routingHeaders, rankHeader]);

export const requestIdHeader = "x-request-id";

/** What the sidecar alone says of a prefill: the picker believes it. */
const ofSidecar: ReadonlySet<string> = new Set([prefilledByHeader, prefillFailedHeader]);

/** Names and values by turns, as Node has them. */
export type RawHeaders = readonly string[];

/**
 * The headers that go on: those of one connection and those named here are left out, and others are added.
 *
 * @param connection value of the header `connection`, which may name more
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
 * Returns the headers of a request whose body streams through. They always say where the body ends: behind a GET without a
 * length, Node.js would write it as it is, and the engine would read another request in it.
 */
export function passedHeaders({ rawHeaders, headers }: Headed): string[] {
  const framing =
    headers["transfer-encoding"] === undefined ? [] : ["transfer-encoding", "chunked"];
  const added = [...hostOf(headers), ...framing];
  return forwarded(rawHeaders, headers.connection, (name) => routing.has(name), added);
}

/** A client of HTTP/1.0 may name no host; engines are asked by HTTP/1.1, which demands one. */
const hostOf = ({ host }: Headed["headers"]): RawHeaders =>
  host === undefined ? ["host", "localhost"] : [];

/** Headers under which an engine's spans are. */
export type TraceHeaders = ReadonlyArray<readonly [name: string, value: string]>;

/** Returns the headers of a request to an engine whose body is known. */
export function engineHeaders(
  { rawHeaders, headers }: Headed,
  body: Buffer,
  added: Readonly<Record<string, string>>,
  trace: TraceHeaders = [],
): string[] {
  // What two engines say is read; a stream that is not compressed comes sooner.
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

/** Returns the headers of an answer. */
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
 * Headers of a prefiller's or an encoder's refusal that a client gets: those that describe the body or name the request, and
 * the time to wait. Others speak for the origin, as `set-cookie`, `location` or `strict-transport-security`, or to the
 * gateway, as the header of its destination: an engine that serves no client has no business with them.
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
