import type { RequestHeaders } from "../../../scheduling/requests/request-headers.ts";
import { type HeaderMap, readHeaderMap } from "./received-headers.ts";
import { readEntry, readStruct, type Struct, ValueCount } from "./struct.ts";
import { countField, WireReader, wireType } from "./wire-reader.ts";

/** How a proxy sends bodies (envoy.extensions.filters.http.ext_proc.v3.ProcessingMode.BodySendMode). */
export const bodySendMode = {
  none: 0,
  streamed: 1,
  buffered: 2,
  bufferedPartial: 3,
  fullDuplexStreamed: 4,
  grpc: 5,
} as const;

/** Body modes that a proxy announces in its first message. */
export interface ProtocolConfig {
  readonly requestBodyMode: number;
  readonly responseBodyMode: number;
  /** Whether bodies arrive before the headers are answered. */
  readonly sendsBodyAtOnce: boolean;
}

export type MessageKind =
  | "requestHeaders"
  | "responseHeaders"
  | "requestBody"
  | "responseBody"
  | "requestTrailers"
  | "responseTrailers";

/** A message of a proxy. Its kind determines which fields are set. */
export interface ProcessingRequest {
  /** Undefined for kinds that the picker does not know. */
  readonly kind: MessageKind | undefined;
  /** For the two kinds of headers: headers by lower-case name. */
  readonly headers: RequestHeaders;
  /** For the two kinds of bodies: a view on the received bytes. */
  readonly body: Buffer;
  readonly endOfStream: boolean;
  /** Filter metadata by namespace. */
  readonly metadata: ReadonlyMap<string, Struct>;
  readonly protocolConfig: ProtocolConfig | undefined;
  /** Approximate memory of its headers and metadata, in bytes. */
  readonly keptBytes: number;
}

const noHeaders: HeaderMap = { headers: new Map(), keptBytes: 0 };
const noMetadata: ReadonlyMap<string, Struct> = new Map();
const noBytes: Buffer = Buffer.alloc(0);

const kinds: ReadonlyArray<MessageKind | undefined> = [
  undefined,
  undefined,
  "requestHeaders",
  "responseHeaders",
  "requestBody",
  "responseBody",
  "requestTrailers",
  "responseTrailers",
];

const field = { metadataContext: 8, protocolConfig: 11 } as const;

/**
 * Reads envoy.service.ext_proc.v3.ProcessingRequest.
 * @throws WireError for bytes that are not this message, or that hold more than a proxy sends; RequestError if a
 *   client's headers are too large
 */
export function readProcessingRequest(bytes: Buffer): ProcessingRequest {
  const reader = new WireReader(bytes);
  let kind: MessageKind | undefined;
  let map = noHeaders;
  let body = noBytes;
  let endOfStream = false;
  let metadata = noMetadata;
  let metadataBytes = 0;
  let protocolConfig: ProtocolConfig | undefined;
  for (let fields = 0; reader.more; fields = countField(fields)) {
    const tag = reader.tag();
    const number = tag >>> 3;
    if ((tag & 7) !== wireType.bytes) reader.skip(tag);
    else if (kinds[number] !== undefined) {
      kind = kinds[number];
      const content = reader.message();
      if (number === 4 || number === 5) ({ body, endOfStream } = readBody(content));
      else ({ map, endOfStream } = readHeaders(content));
    } else if (number === field.metadataContext) {
      const values = new ValueCount();
      metadata = readMetadata(reader.message(), values);
      metadataBytes = values.keptBytes;
    } else if (number === field.protocolConfig)
      protocolConfig = readProtocolConfig(reader.message());
    else reader.skip(tag);
  }
  const { headers } = map;
  const keptBytes = map.keptBytes + metadataBytes;
  return { kind, headers, body, endOfStream, metadata, protocolConfig, keptBytes };
}

/** Reads HttpBody. */
function readBody(reader: WireReader) {
  let body = noBytes;
  let endOfStream = false;
  for (let fields = 0; reader.more; fields = countField(fields)) {
    const tag = reader.tag();
    if (tag === ((1 << 3) | wireType.bytes)) body = reader.slice();
    else if (tag === ((2 << 3) | wireType.varint)) endOfStream = reader.varint() !== 0;
    else reader.skip(tag);
  }
  return { body, endOfStream };
}

/** Reads HttpHeaders, and HttpTrailers, which has the same first field. */
function readHeaders(reader: WireReader) {
  let map = noHeaders;
  let endOfStream = false;
  for (let fields = 0; reader.more; fields = countField(fields)) {
    const tag = reader.tag();
    if (tag === ((1 << 3) | wireType.bytes)) map = readHeaderMap(reader.message());
    else if (tag === ((3 << 3) | wireType.varint)) endOfStream = reader.varint() !== 0;
    else reader.skip(tag);
  }
  return { map, endOfStream };
}

function readMetadata(reader: WireReader, values: ValueCount): ReadonlyMap<string, Struct> {
  values.measure(reader);
  const metadata = new Map<string, Struct>();
  while (reader.more) {
    const tag = reader.tag();
    if (tag !== ((1 << 3) | wireType.bytes)) {
      reader.skip(tag);
      continue;
    }
    const [name, struct] = readEntry(reader.message(), (value) => readStruct(value, values));
    values.add();
    metadata.set(name, struct ?? {});
  }
  return metadata;
}

function readProtocolConfig(reader: WireReader): ProtocolConfig {
  const values = [0, 0, 0, 0];
  while (reader.more) {
    const tag = reader.tag();
    if ((tag & 7) === wireType.varint && tag >>> 3 <= 3) values[tag >>> 3] = reader.varint();
    else reader.skip(tag);
  }
  const [, requestBodyMode = 0, responseBodyMode = 0, sendsBodyAtOnce] = values;
  return { requestBodyMode, responseBodyMode, sendsBodyAtOnce: sendsBodyAtOnce !== 0 };
}
