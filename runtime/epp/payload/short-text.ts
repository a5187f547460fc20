/**
 * A short ASCII text to find in many short pieces. Uses Horspool's algorithm, since a call of `indexOf` costs more than
 * reading such a piece.
 */
export class ShortText {
  readonly length: number;
  readonly #bytes: Buffer;
  /** Distance by which the text may move, by the byte under the last byte of the text. */
  readonly #steps: Uint8Array;

  constructor(text: string) {
    this.#bytes = Buffer.from(text, "latin1");
    this.length = this.#bytes.length;
    this.#steps = new Uint8Array(256).fill(this.length);
    for (const [at, byte] of this.#bytes.subarray(0, -1).entries())
      this.#steps[byte] = this.length - 1 - at;
  }

  /** Returns the first index from `from` on; -1 if there is none. */
  find(bytes: Buffer, from: number): number {
    const last = this.length - 1;
    const lastByte = this.#bytes[last];
    for (let end = from + last; end < bytes.length; ) {
      const byte = bytes[end] as number;
      if (byte === lastByte && this.#isAt(bytes, end - last)) return end - last;
      end += this.#steps[byte] as number;
    }
    return -1;
  }

  #isAt(bytes: Buffer, start: number): boolean {
    for (let at = this.length - 2; at >= 0; at -= 1)
      if (bytes[start + at] !== this.#bytes[at]) return false;
    return true;
  }
}
