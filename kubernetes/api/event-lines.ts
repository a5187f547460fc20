const lineFeed = 0x0a;

/** Splits a byte stream into lines, for chunks of any size. */
export class EventLines {
  readonly #maxBytes: number;
  /** Pieces of an incomplete line. */
  #pieces: Buffer[] = [];
  #bytes = 0;

  /** @param maxBytes maximum size of a line */
  constructor(maxBytes = Number.POSITIVE_INFINITY) {
    this.#maxBytes = maxBytes;
  }

  /** Returns the lines that this chunk completes, without empty lines. */
  add(chunk: Buffer): Buffer[] {
    const lines: Buffer[] = [];
    let from = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, from)) {
      this.#append(chunk.subarray(from, end));
      const line = this.rest;
      this.#pieces = [];
      this.#bytes = 0;
      if (line.length > 0) lines.push(line);
      from = end + 1;
    }
    if (from < chunk.length) this.#append(chunk.subarray(from));
    return lines;
  }

  /** The bytes after the last line end. */
  get rest(): Buffer {
    const [first = Buffer.of()] = this.#pieces;
    return this.#pieces.length > 1 ? Buffer.concat(this.#pieces) : first;
  }

  #append(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    if (this.#bytes > this.#maxBytes)
      throw new Error(`an event is longer than ${this.#maxBytes} bytes`);
  }
}
