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
const settingsType = 4;
const pingType = 6;
const pingBytes = 8;
const acknowledgedFlag = 0x1;
const endHeadersFlag = 0x4;
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
  #valid = 0;
  #corrected = 0;
  #ownAcknowledgements = 0;
  #takesPings = false;
  #pings: Buffer[] = [];

  /** Frames with header fields that were received. */
  get headers(): number {
    return this.#headers;
  }

  /** Valid authorities in header blocks that were received whole. */
  get valid(): number {
    return this.#valid;
  }

  /** Authorities that were corrected. */
  get corrected(): number {
    return this.#corrected;
  }

  /** Received bytes of a frame that is not complete, which `push` has not returned. */
  get incomplete(): Buffer {
    return this.#incomplete;
  }

  /** Whether the peer has yet to acknowledge settings that this program sent. */
  get awaitsAcknowledgement(): boolean {
    return this.#ownAcknowledgements > 0;
  }

  /**
   * The caller has sent settings before Node.js starts: removes their acknowledgement from the received bytes, because
   * Node.js does not know of them, and takes pings for the caller to answer.
   */
  greeted(): void {
    this.#ownAcknowledgements += 1;
    this.#takesPings = true;
  }

  /** Node.js starts, and answers pings. */
  started(): void {
    this.#takesPings = false;
  }

  /** Returns the payloads of the pings taken since the last call. */
  pings(): readonly Buffer[] {
    const taken = this.#pings;
    this.#pings = [];
    return taken;
  }

  /** Takes received bytes, changes them in place, and returns those that are complete. */
  push(chunk: Buffer): Buffer {
    if (this.#passing >= chunk.length) {
      this.#passing -= chunk.length;
      return chunk;
    }
    const bytes = this.#incomplete.length === 0 ? chunk : Buffer.concat([this.#incomplete, chunk]);
    const kept: Buffer[] = [];
    let keptTo = 0;
    let at = this.#passing;
    this.#passing = 0;
    while (at + frameHeaderBytes <= bytes.length) {
      const length = bytes.readUIntBE(at, 3);
      const end = at + frameHeaderBytes + length;
      const type = bytes[at + 3];
      const flags = bytes[at + 4] ?? 0;
      if (type === headersType) {
        if (end > bytes.length && length <= longestFrame) break;
        this.#headers += 1;
        if (length <= longestFrame)
          this.#correct(bytes.subarray(at + frameHeaderBytes, end), flags);
      } else if (this.#removes(type, flags, length)) {
        if (end > bytes.length) break;
        if (type === pingType) this.#pings.push(bytes.subarray(at + frameHeaderBytes, end));
        else this.#ownAcknowledgements -= 1;
        kept.push(bytes.subarray(keptTo, at));
        keptTo = end;
      }
      at = end;
    }
    this.#passing = Math.max(0, at - bytes.length);
    this.#incomplete = bytes.subarray(at);
    if (kept.length === 0) return bytes.subarray(0, at);
    return Buffer.concat([...kept, bytes.subarray(keptTo, at)]);
  }

  /** Whether the caller handles a frame instead of Node.js. */
  #removes(type: number | undefined, flags: number, length: number): boolean {
    const isAcknowledgement = (flags & acknowledgedFlag) !== 0;
    return type === settingsType
      ? this.#ownAcknowledgements > 0 && isAcknowledgement && length === 0
      : type === pingType && this.#takesPings && !isAcknowledgement && length === pingBytes;
  }

  #correct(payload: Buffer, flags: number): void {
    const { authority, isWhole } = authorityOf(fieldsOf(payload, flags));
    if (authority === undefined) return;
    if (authority.isEncoded ? correctEncoded(authority.value) : correctPlain(authority.value))
      this.#corrected += 1;
    else if (isWhole && (flags & endHeadersFlag) !== 0) this.#valid += 1;
  }
}

/** Returns the header fields of a frame, without padding and priority. */
function fieldsOf(payload: Buffer, flags: number): Buffer {
  const padded = (flags & paddedFlag) !== 0;
  const start = (padded ? 1 : 0) + ((flags & priorityFlag) !== 0 ? 5 : 0);
  return payload.subarray(start, payload.length - (padded ? (payload[0] ?? 0) : 0));
}

interface Found {
  readonly authority?: { readonly value: Buffer; readonly isEncoded: boolean };
  /** The fields end with the block, so that no length was misread. */
  readonly isWhole: boolean;
}

/**
 * Finds a literal `:authority`. An authority that refers to the dynamic table was corrected when it was added to the
 * table.
 */
function authorityOf(block: Buffer): Found {
  let at = 0;
  let authority: Found["authority"];
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
      if (index === authorityIndex) authority ??= value;
    }
  }
  return { ...(authority !== undefined && { authority }), isWhole: at === block.length };
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
