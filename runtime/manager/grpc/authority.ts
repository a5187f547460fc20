import { codeOf, encodedCharacters } from "./huffman-characters.ts";

/**
 * Istio names clusters `outbound|9002||picker.namespace.svc.cluster.local`, and Envoy sends the name of the cluster as
 * the authority of calls to a picker. RFC 3986 has no `|` in an authority, and Node.js resets a stream with such an
 * authority (PROTOCOL_ERROR) before a program sees it. The character is therefore replaced in the received
 * bytes, by one whose code has the same length, so that no other byte changes and both ends agree on the size of the
 * header tables (RFC 7541, section 4.1).
 */
const invalid = "|".charCodeAt(0);
const replacement = "+".charCodeAt(0);

const prefaceBytes = 24;
const frameHeaderBytes = 9;
const headersType = 1;
/** Longest frame that the server accepts, which is HTTP/2's default. Node.js rejects longer ones by their header. */
const longestFrame = 16_384;
const paddedFlag = 0x8;
const priorityFlag = 0x20;
/** Index of `:authority` in the static table of HPACK. */
const authorityIndex = 1;

/** Replaces invalid characters of authorities in the bytes that a connection receives. */
export class AuthorityCorrection {
  /** Bytes of a frame that is not complete: its header, or a frame with header fields. */
  #incomplete: Buffer = Buffer.alloc(0);
  /** Bytes of the connection preface or of a frame without header fields, which pass without a check. */
  #passing = prefaceBytes;
  #headers = 0;
  #corrected = 0;

  /** Frames with header fields that were received. */
  get headers(): number {
    return this.#headers;
  }

  /** Authorities that were corrected. */
  get corrected(): number {
    return this.#corrected;
  }

  /** Takes received bytes, changes them in place, and returns those that are complete. */
  push(chunk: Buffer): Buffer {
    if (this.#passing >= chunk.length) {
      this.#passing -= chunk.length;
      return chunk;
    }
    const bytes = this.#incomplete.length === 0 ? chunk : Buffer.concat([this.#incomplete, chunk]);
    let at = this.#passing;
    this.#passing = 0;
    while (at + frameHeaderBytes <= bytes.length) {
      const length = bytes.readUIntBE(at, 3);
      const end = at + frameHeaderBytes + length;
      if (bytes[at + 3] === headersType && length <= longestFrame) {
        if (end > bytes.length) break;
        this.#headers += 1;
        this.#correct(fieldsOf(bytes.subarray(at + frameHeaderBytes, end), bytes[at + 4] ?? 0));
      }
      at = end;
    }
    this.#passing = Math.max(0, at - bytes.length);
    this.#incomplete = bytes.subarray(at);
    return bytes.subarray(0, at);
  }

  #correct(block: Buffer): void {
    const authority = authorityOf(block);
    if (authority === undefined) return;
    if (authority.isEncoded ? correctEncoded(authority.value) : correctPlain(authority.value))
      this.#corrected += 1;
  }
}

/** Returns the header fields of a frame, without padding and priority. */
function fieldsOf(payload: Buffer, flags: number): Buffer {
  const padded = (flags & paddedFlag) !== 0;
  const start = (padded ? 1 : 0) + ((flags & priorityFlag) !== 0 ? 5 : 0);
  return payload.subarray(start, payload.length - (padded ? (payload[0] ?? 0) : 0));
}

/** Finds a literal `:authority`. One that refers to the dynamic table was corrected when it was added to the table. */
function authorityOf(block: Buffer): { value: Buffer; isEncoded: boolean } | undefined {
  let at = 0;
  const integer = (prefix: number): number => {
    const most = 2 ** prefix - 1;
    let value = (block[at++] ?? 0) & most;
    if (value < most) return value;
    for (let shift = 0; ; shift += 7) {
      const byte = block[at++] ?? 0;
      value += (byte & 0x7f) * 2 ** shift;
      if ((byte & 0x80) === 0 || at > block.length) return value;
    }
  };
  const string = () => {
    const isEncoded = ((block[at] ?? 0) & 0x80) !== 0;
    const length = integer(7);
    const value = block.subarray(at, at + length);
    at += length;
    return { value, isEncoded };
  };
  while (at < block.length) {
    const kind = block[at] ?? 0;
    if ((kind & 0x80) !== 0) integer(7);
    else if ((kind & 0xe0) === 0x20) integer(5);
    else {
      const index = integer((kind & 0x40) === 0 ? 4 : 6);
      if (index === 0) string();
      const value = string();
      if (index === authorityIndex) return value;
    }
  }
  return undefined;
}

function correctPlain(value: Buffer): boolean {
  let corrected = false;
  for (let at = value.indexOf(invalid); at >= 0; at = value.indexOf(invalid, at)) {
    value[at] = replacement;
    corrected = true;
  }
  return corrected;
}

function correctEncoded(value: Buffer): boolean {
  const { code, length } = codeOf(replacement);
  const found = [...encodedCharacters(value)].filter(({ character }) => character === invalid);
  for (const { bit } of found)
    for (let offset = 0; offset < length; offset++) {
      const at = bit + offset;
      const mask = 0x80 >> (at & 7);
      const isSet = ((code >> (length - 1 - offset)) & 1) === 1;
      value[at >> 3] = ((value[at >> 3] ?? 0) & ~mask) | (isSet ? mask : 0);
    }
  return found.length > 0;
}
