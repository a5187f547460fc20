import { StringDecoder } from "node:string_decoder";

/** Cuts a byte stream into lines, wherever its chunks end. */
export class EventLines {
  readonly #maxBytes: number;
  readonly #decoder = new StringDecoder("utf8");
  #rest = "";

  /** @param maxBytes of a line */
  constructor(maxBytes = Number.POSITIVE_INFINITY) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that this chunk completes, without empty ones. */
  add(chunk: Buffer): string[] {
    const text = this.#decoder.write(chunk);
    if (!text.includes("\n")) {
      this.#rest += text;
      this.#check(this.#rest);
      return [];
    }
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#check(line);
    this.#check(this.#rest);
    return lines.filter((line) => line !== "");
  }

  /** Bytes are at least as many as characters. */
  #check(line: string): void {
    if (line.length > this.#maxBytes)
      throw new Error(`an event is longer than ${this.#maxBytes} bytes`);
  }

  /** What came after the last line end. */
  get rest(): string {
    return this.#rest + this.#decoder.end();
  }
}
