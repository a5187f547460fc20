/** A message that is not valid protobuf. */
export class WireError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "WireError";
  }
}

/** Wire types of protobuf that the messages here use. */
export const wireType = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/** Largest number of fields that is read of a message that defines about a dozen. */
const mostFields = 64;

/**
 * Counts a field of such a message.
 * @throws WireError for more than any proxy sends
 */
export function countField(fields: number): number {
  if (fields >= mostFields) throw new WireError(`a message has more than ${mostFields} fields`);
  return fields + 1;
}

/** Reads protobuf fields one after another, without copying bytes. */
export class WireReader {
  readonly bytes: Buffer;
  position: number;
  readonly end: number;

  constructor(bytes: Buffer, start = 0, end = bytes.length) {
    this.bytes = bytes;
    this.position = start;
    this.end = end;
  }

  get more(): boolean {
    return this.position < this.end;
  }

  /** Reads a varint of up to 64 bits. Bits above the 32nd, which no field here has, are dropped. */
  varint(): number {
    const { bytes } = this;
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.position >= this.end) throw new WireError("a varint is cut off");
      const byte = bytes[this.position++] as number;
      if (shift < 32) value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
    throw new WireError("a varint is longer than ten bytes");
  }

  /** Reads the field number and wire type: `number << 3 | type`. */
  tag(): number {
    const tag = this.varint();
    if (tag >>> 3 === 0) throw new WireError("field number 0");
    return tag;
  }

  /** Reads the length of a length-delimited field, whose content must be within the message. */
  length(): number {
    const length = this.varint();
    if (length > this.end - this.position)
      throw new WireError("a field is longer than its message");
    return length;
  }

  message(): WireReader {
    const end = this.length() + this.position;
    const nested = new WireReader(this.bytes, this.position, end);
    this.position = end;
    return nested;
  }

  /** Returns a view on the bytes of a field. */
  slice(): Buffer {
    const length = this.length();
    const start = this.position;
    this.position += length;
    return this.bytes.subarray(start, this.position);
  }

  string(): string {
    const length = this.length();
    const start = this.position;
    this.position += length;
    return this.bytes.toString("utf8", start, this.position);
  }

  double(): number {
    this.#need(8);
    const value = this.bytes.readDoubleLE(this.position);
    this.position += 8;
    return value;
  }

  skip(tag: number): void {
    switch (tag & 7) {
      case wireType.varint:
        this.varint();
        return;
      case wireType.fixed64:
        this.#need(8);
        this.position += 8;
        return;
      case wireType.bytes:
        {
          const length = this.length();
          this.position += length;
        }
        return;
      case wireType.fixed32:
        this.#need(4);
        this.position += 4;
        return;
      default:
        throw new WireError(`wire type ${tag & 7} is not supported`);
    }
  }

  #need(length: number): void {
    if (length > this.end - this.position)
      throw new WireError("a field is longer than its message");
  }
}
