import { ResponseFields, type ResponseFieldsOptions } from "./response-fields.ts";

export interface FieldRewriterOptions extends Omit<ResponseFieldsOptions, "onValue"> {
  /** Longest value that is rewritten, in bytes. A longer one is forwarded as it arrives. */
  readonly longest: number;
  /** Returns the replacement of a value; undefined keeps the value. */
  readonly rewrite: (value: Buffer) => Buffer | undefined;
}

const nothing = Buffer.alloc(0);

/**
 * Replaces the values of one field of a response while the response arrives. Only a value that a chunk cuts is held
 * back until it is complete.
 */
export class FieldRewriter {
  readonly #longest: number;
  readonly #rewriteValue: FieldRewriterOptions["rewrite"];
  readonly #fields: ResponseFields;
  /** Start of the value in which the last chunk ended. */
  #held: Buffer = nothing;
  #chunk: Buffer = nothing;
  /** Bytes to send for `#held` and for the chunk up to `#done`; empty while the chunk is unchanged. */
  #parts: Buffer[] = [];
  #done = 0;

  constructor({ field, kind, sse, longest, rewrite }: FieldRewriterOptions) {
    this.#longest = longest;
    this.#rewriteValue = rewrite;
    const onValue = (start: number, end: number) => this.#rewrite(start, end);
    this.#fields = new ResponseFields({ field, kind, sse, onValue });
  }

  /** Whether bytes are held back, to be sent with the next chunk. */
  get holding(): boolean {
    return this.#held.length > 0;
  }

  /**
   * Returns the bytes to send instead of a chunk: the chunk itself if nothing in it changes.
   * @param end whether this is the last chunk, so that nothing is held back.
   */
  push(chunk: Buffer, end: boolean): Buffer {
    this.#chunk = chunk;
    this.#parts = this.holding ? [this.#held] : [];
    this.#done = 0;
    this.#fields.push(chunk);
    const open = this.#fields.openValueBytes;
    const taken = this.#take(end || open > this.#longest ? 0 : open);
    // References would keep the chunk and its network buffer in memory until the next chunk.
    this.#chunk = nothing;
    this.#parts = [];
    return taken;
  }

  #rewrite(start: number, end: number): void {
    if (start < 0) this.#rewriteHeld(start, end);
    else {
      const value = this.#rewriteValue(this.#chunk.subarray(start, end));
      if (value === undefined) return;
      this.#parts.push(this.#chunk.subarray(this.#done, start), value);
      this.#done = end;
    }
  }

  /**
   * Rewrites a value whose start is held. If the start was too long and already forwarded, the end is forwarded too.
   */
  #rewriteHeld(start: number, end: number): void {
    if (-start !== this.#held.length) return;
    const value = this.#rewriteValue(Buffer.concat([this.#held, this.#chunk.subarray(0, end)]));
    if (value === undefined) return;
    this.#parts = [value];
    this.#done = end;
  }

  /** Returns the bytes to send now, without the last `hold` bytes. */
  #take(hold: number): Buffer {
    const chunk = this.#chunk;
    if (hold > chunk.length) {
      this.#held = Buffer.concat([this.#held, chunk]);
      return nothing;
    }
    this.#held = hold > 0 ? Buffer.from(chunk.subarray(chunk.length - hold)) : nothing;
    if (hold === 0 && this.#parts.length === 0) return chunk;
    this.#parts.push(chunk.subarray(this.#done, chunk.length - hold));
    return Buffer.concat(this.#parts);
  }
}
