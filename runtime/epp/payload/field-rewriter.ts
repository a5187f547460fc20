import { ResponseFields, type ResponseFieldsOptions } from "./response-fields.ts";

export interface FieldRewriterOptions extends Omit<ResponseFieldsOptions, "onValue"> {
  /** Bytes of the longest value that is rewritten: a longer one is let go while it comes. */
  readonly longest: number;
  /** Returns what takes a value's place; undefined where it stays. */
  readonly rewrite: (value: Buffer) => Buffer | undefined;
}

const nothing = Buffer.alloc(0);

/**
 * Puts other values in the place of those of one field of a response, while it comes. Only a value that a chunk cuts is
 * held back until it is whole.
 */
export class FieldRewriter {
  readonly #longest: number;
  readonly #rewriteValue: FieldRewriterOptions["rewrite"];
  readonly #fields: ResponseFields;
  /** Start of a value that the last chunk ended in. */
  #held: Buffer = nothing;
  #chunk: Buffer = nothing;
  /** What to send for what was held and for the chunk up to `#done`; empty where that is the chunk itself. */
  #parts: Buffer[] = [];
  #done = 0;

  constructor({ field, kind, sse, longest, rewrite }: FieldRewriterOptions) {
    this.#longest = longest;
    this.#rewriteValue = rewrite;
    const onValue = (start: number, end: number) => this.#rewrite(start, end);
    this.#fields = new ResponseFields({ field, kind, sse, onValue });
  }

  /** Bytes are held back, to go with the next chunk. */
  get holding(): boolean {
    return this.#held.length > 0;
  }

  /**
   * The bytes to send in place of a chunk: the chunk itself where nothing in it changes.
   * @param end nothing follows, so that nothing is held back.
   */
  push(chunk: Buffer, end: boolean): Buffer {
    this.#chunk = chunk;
    this.#parts = this.holding ? [this.#held] : [];
    this.#done = 0;
    this.#fields.push(chunk);
    const open = this.#fields.openValueBytes;
    return this.#take(end || open > this.#longest ? 0 : open);
  }

  /** Called for each value of the field. */
  #rewrite(start: number, end: number): void {
    if (start < 0) this.#rewriteHeld(start, end);
    else {
      const value = this.#rewriteValue(this.#chunk.subarray(start, end));
      if (value === undefined) return;
      this.#parts.push(this.#chunk.subarray(this.#done, start), value);
      this.#done = end;
    }
  }

  /** The start of a value that is too long has been let go, and so is its end. */
  #rewriteHeld(start: number, end: number): void {
    if (-start !== this.#held.length) return;
    const value = this.#rewriteValue(Buffer.concat([this.#held, this.#chunk.subarray(0, end)]));
    if (value === undefined) return;
    this.#parts = [value];
    this.#done = end;
  }

  /** What is to be sent now, without the last `hold` bytes. */
  #take(hold: number): Buffer {
    const chunk = this.#chunk;
    if (hold > chunk.length) {
      this.#held = Buffer.concat([this.#held, chunk]);
      return nothing;
    }
    this.#held = hold > 0 ? chunk.subarray(chunk.length - hold) : nothing;
    if (hold === 0 && this.#parts.length === 0) return chunk;
    this.#parts.push(chunk.subarray(this.#done, chunk.length - hold));
    return Buffer.concat(this.#parts);
  }
}
