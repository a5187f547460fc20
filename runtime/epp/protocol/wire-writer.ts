import { wireType } from "./wire-reader.ts";

/**
 * Writes protobuf fields from the last to the first: the length of a nested message is known when its header is
 * written, so nothing is measured in advance or moved afterwards.
 *
 * Nested messages: `const end = mark()`, write the fields in reverse, `close(field, end)`.
 */
export class WireWriter {
  #bytes: Buffer;
  #start: number;

  constructor(capacity = 1024) {
    this.#bytes = Buffer.allocUnsafe(capacity);
    this.#start = capacity;
  }

  /** Returns the written bytes. */
  finish(): Buffer {
    return this.#bytes.subarray(this.#start);
  }

  /** Returns the end of the nested message that is written next, as its distance from the end of the buffer. */
  mark(): number {
    return this.#bytes.length - this.#start;
  }

  /** Writes the header of the nested message whose fields were written since `mark`. */
  close(field: number, mark: number): void {
    this.#varint(this.#bytes.length - this.#start - mark);
    this.#varint((field << 3) | wireType.bytes);
  }

  bytes(field: number, value: Uint8Array): void {
    this.#reserve(value.length + 10);
    this.#start -= value.length;
    this.#bytes.set(value, this.#start);
    this.#varint(value.length);
    this.#varint((field << 3) | wireType.bytes);
  }

  string(field: number, value: string): void {
    const length = Buffer.byteLength(value);
    this.#reserve(length + 10);
    this.#start -= length;
    this.#bytes.write(value, this.#start, length, "utf8");
    this.#varint(length);
    this.#varint((field << 3) | wireType.bytes);
  }

  varint(field: number, value: number): void {
    this.#varint(value);
    this.#varint((field << 3) | wireType.varint);
  }

  double(field: number, value: number): void {
    this.#reserve(13);
    this.#start -= 8;
    this.#bytes.writeDoubleLE(value, this.#start);
    this.#varint((field << 3) | wireType.fixed64);
  }

  #varint(value: number): void {
    this.#reserve(5);
    let length = 1;
    for (let rest = value >>> 7; rest > 0; rest >>>= 7) length += 1;
    this.#start -= length;
    let at = this.#start;
    let rest = value;
    while (rest > 0x7f) {
      this.#bytes[at++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#bytes[at] = rest;
  }

  #reserve(length: number): void {
    if (length <= this.#start) return;
    const used = this.#bytes.length - this.#start;
    const larger = Buffer.allocUnsafe(2 * (used + length));
    this.#bytes.copy(larger, larger.length - used, this.#start);
    this.#start = larger.length - used;
    this.#bytes = larger;
  }
}
