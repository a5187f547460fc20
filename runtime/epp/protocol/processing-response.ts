import { type Struct, writeStruct } from "./struct.ts";
import { WireWriter } from "./wire-writer.ts";

/** Headers to set, each with one value that replaces existing ones, and names of headers to remove. */
export interface HeaderMutation {
  readonly set?: ReadonlyArray<readonly [name: string, value: string]>;
  readonly remove?: readonly string[];
}

/** Field numbers of ProcessingResponse, by the answered message. */
const answer = {
  requestHeaders: 1,
  responseHeaders: 2,
  requestBody: 3,
  responseBody: 4,
  requestTrailers: 5,
  responseTrailers: 6,
  immediate: 7,
} as const;

const dynamicMetadata = 8;
const common = { headerMutation: 2, bodyMutation: 3, clearRouteCache: 5 } as const;
const bodyMutation = { body: 1, clearBody: 2, streamedResponse: 3 } as const;
const overwriteIfExistsOrAdd = 2;

/**
 * Largest chunk of a body that is sent to a proxy, in bytes: with its frame it fits into the 64 KiB that proxies accept
 * per message (upstream's limit).
 */
export const maxChunkBytes = 62_000;

export interface HeadersAnswer extends HeaderMutation {
  /** Whether the proxy must match the route again, because it depends on headers that are set here. */
  readonly clearRouteCache?: boolean;
  readonly dynamicMetadata?: Struct;
}

/** Answer to request or response headers. */
export function headersResponse(
  phase: "requestHeaders" | "responseHeaders",
  headers: HeadersAnswer = {},
): Buffer {
  const writer = new WireWriter(512);
  if (headers.dynamicMetadata !== undefined) writeMetadata(writer, headers.dynamicMetadata);
  const end = writer.mark();
  writeCommonResponse(writer, headers);
  writer.close(answer[phase], end);
  return writer.finish();
}

/** Answer to a body message in FULL_DUPLEX_STREAMED mode: the bytes to forward. */
export function streamedBody(
  phase: "requestBody" | "responseBody",
  body: Buffer,
  endOfStream: boolean,
): Buffer {
  const writer = new WireWriter(body.length + 48);
  if (endOfStream) writer.varint(2, 1);
  if (body.length > 0) writer.bytes(1, body);
  writer.close(bodyMutation.streamedResponse, 0);
  writer.close(common.bodyMutation, 0);
  writer.close(1, 0);
  writer.close(answer[phase], 0);
  return writer.finish();
}

/** Splits a body of any length into chunk messages. An empty body is one empty chunk. */
export function streamedBodies(
  phase: "requestBody" | "responseBody",
  body: Buffer,
  endOfStream: boolean,
): Buffer[] {
  const chunks: Buffer[] = [];
  let start = 0;
  do {
    const end = Math.min(start + maxChunkBytes, body.length);
    const last = end === body.length;
    chunks.push(streamedBody(phase, body.subarray(start, end), endOfStream && last));
    start = end;
  } while (start < body.length);
  return chunks;
}

export interface BodyAnswer extends HeadersAnswer {
  /** Replaces the bytes of the answered message; undefined leaves them, empty drops them. */
  readonly body?: Buffer | undefined;
}

/** Answer to a body message in BUFFERED and STREAMED mode. */
export function bodyResponse(
  phase: "requestBody" | "responseBody",
  given: BodyAnswer = {},
): Buffer {
  const writer = new WireWriter((given.body?.length ?? 0) + 512);
  if (given.dynamicMetadata !== undefined) writeMetadata(writer, given.dynamicMetadata);
  const end = writer.mark();
  writeCommonResponse(writer, given, given.body);
  writer.close(answer[phase], end);
  return writer.finish();
}

/** Answer to trailers, which are forwarded unchanged. */
export function trailersResponse(phase: "requestTrailers" | "responseTrailers"): Buffer {
  const writer = new WireWriter(8);
  writer.close(answer[phase], 0);
  return writer.finish();
}

/**
 * Separate message before the picker's last answer, for a relay that asked for it: the next answer ends the stream, and
 * the response is not observed (mode_override with response_header_mode SKIP). Proxies never receive it.
 */
export const leavingNotice: Buffer = Buffer.from([(9 << 3) | 2, 2, (2 << 3) | 0, 2]);

export interface ImmediateAnswer extends HeaderMutation {
  readonly status: number;
  readonly body: string;
}

/** The response that the client gets instead of the response of the server. */
export function immediateResponse({ status, body, ...headers }: ImmediateAnswer): Buffer {
  const writer = new WireWriter(512);
  writer.string(3, body);
  writeHeaderMutation(writer, 2, headers);
  const end = writer.mark();
  writer.varint(1, status);
  writer.close(1, end);
  writer.close(answer.immediate, 0);
  return writer.finish();
}

function writeMetadata(writer: WireWriter, metadata: Struct): void {
  const end = writer.mark();
  writeStruct(writer, metadata);
  writer.close(dynamicMetadata, end);
}

/** Writes field `response` of HeadersResponse and BodyResponse, unless nothing changes. */
function writeCommonResponse(writer: WireWriter, headers: HeadersAnswer, body?: Buffer): void {
  const end = writer.mark();
  if (headers.clearRouteCache) writer.varint(common.clearRouteCache, 1);
  if (body !== undefined) {
    const mutation = writer.mark();
    if (body.length > 0) writer.bytes(bodyMutation.body, body);
    else writer.varint(bodyMutation.clearBody, 1);
    writer.close(common.bodyMutation, mutation);
  }
  writeHeaderMutation(writer, common.headerMutation, headers);
  if (writer.mark() > end) writer.close(1, end);
}

function writeHeaderMutation(writer: WireWriter, field: number, headers: HeaderMutation): void {
  const { set = [], remove = [] } = headers;
  if (set.length + remove.length === 0) return;
  const end = writer.mark();
  for (let at = remove.length - 1; at >= 0; at -= 1) writer.string(2, remove[at] as string);
  for (let at = set.length - 1; at >= 0; at -= 1) writeHeader(writer, set[at] as [string, string]);
  writer.close(field, end);
}

/** Sets only raw_value: some proxies read no other field, and none accepts both. */
function writeHeader(writer: WireWriter, [name, value]: readonly [string, string]): void {
  const option = writer.mark();
  writer.varint(3, overwriteIfExistsOrAdd);
  const header = writer.mark();
  writer.string(3, value);
  writer.string(1, name);
  writer.close(1, header);
  writer.close(1, option);
}
