import { RequestError } from "../../../scheduling/requests/request-error.ts";
import type { RequestHeaders } from "../../../scheduling/requests/request-headers.ts";
import { limits } from "../../limits.ts";
import { WireError, type WireReader, wireType } from "./wire-reader.ts";

/** Offsets stored per header: start and end of its name, start and end of its value. */
const positions = 4;

/**
 * Raw received headers. Values are decoded on demand, since few are ever read, and names are compared within the
 * buffer.
 */
export class ReceivedHeaders implements RequestHeaders {
  readonly #bytes: Buffer;
  readonly #positions: readonly number[];

  /** @param bytes a buffer of the headers only, since it is kept as long as the request */
  constructor(bytes: Buffer, allPositions: readonly number[]) {
    this.#bytes = bytes;
    this.#positions = allPositions;
  }

  has(name: string): boolean {
    return this.#find(name) >= 0;
  }

  get(name: string): string | undefined {
    const at = this.#find(name);
    if (at < 0) return undefined;
    return this.#bytes.toString("utf8", this.#positions[at + 2], this.#positions[at + 3]);
  }

  #find(name: string): number {
    const found = this.#positions;
    for (let at = 0; at < found.length; at += positions) {
      const start = found[at] as number;
      if ((found[at + 1] as number) - start === name.length && this.#isAt(start, name)) return at;
    }
    return -1;
  }

  #isAt(start: number, name: string): boolean {
    for (let at = name.length - 1; at >= 0; at -= 1)
      if (lowerCase(this.#bytes[start + at] as number) !== name.charCodeAt(at)) return false;
    return true;
  }
}

const lowerCase = (byte: number) => (byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte);

/** Headers and their approximate memory in bytes. */
export interface HeaderMap {
  readonly headers: RequestHeaders;
  readonly keptBytes: number;
}

/** Memory of one offset, in bytes. */
const positionBytes = 8;

/**
 * Reads config.core.v3.HeaderMap. A value is in raw_value or, from older proxies and for pseudo headers, in value.
 * @throws WireError; RequestError for more than `limits.headers` headers or `limits.headerBytes` bytes
 */
export function readHeaderMap(reader: WireReader): HeaderMap {
  const first = reader.position;
  if (reader.end - first > limits.headerBytes.value)
    throw tooLarge(`${limits.headerBytes.value} bytes`);
  const found: number[] = [];
  while (reader.more) {
    const tag = reader.tag();
    if (tag === ((1 << 3) | wireType.bytes)) readHeader(reader, first, found);
    else reader.skip(tag);
    if (found.length > positions * limits.headers.value)
      throw tooLarge(`${limits.headers.value} headers`);
  }
  const own = Buffer.allocUnsafe(reader.end - first);
  reader.bytes.copy(own, 0, first, reader.end);
  const keptBytes = own.length + positionBytes * found.length;
  return { headers: new ReceivedHeaders(own, found), keptBytes };
}

const tooLarge = (most: string) =>
  new RequestError("PayloadTooLarge", `the headers are more than ${most}`);

function readHeader(reader: WireReader, first: number, found: number[]): void {
  const end = reader.length() + reader.position;
  let key = 0;
  let keyEnd = 0;
  let value = 0;
  let valueEnd = 0;
  let isRaw = false;
  while (reader.position < end) {
    const tag = reader.tag();
    const field = tag >>> 3;
    if ((tag & 7) !== wireType.bytes || field < 1 || field > 3) {
      reader.skip(tag);
      continue;
    }
    const length = reader.length();
    const start = reader.position - first;
    reader.position += length;
    if (field === 1) {
      key = start;
      keyEnd = start + length;
    } else if (field === 3 ? length > 0 : !isRaw) {
      value = start;
      valueEnd = start + length;
      isRaw = field === 3;
    }
  }
  if (reader.position > end) throw new WireError("a field is longer than its message");
  found.push(key, keyEnd, value, valueEnd);
}
