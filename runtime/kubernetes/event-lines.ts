import { StringDecoder } from "node:string_decoder";

/** Cuts a byte stream into lines, wherever its chunks end. */
export class EventLines {
  readonly #decoder = new StringDecoder("utf8");
  #rest = "";

  /** The lines that this chunk completes, without empty ones. */
  add(chunk: Buffer): string[] {
    const text = this.#decoder.write(chunk);
    if (!text.includes("\n")) {
      this.#rest += text;
      return [];
    }
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    return lines.filter((line) => line !== "");
  }

  /** What came after the last line end. */
  get rest(): string {
    return this.#rest + this.#decoder.end();
  }
}
