import type { RequestHeaders } from "../../../scheduling/request-headers.ts";
import { ResponseFields } from "./response-fields.ts";

export interface ModelRestorerOptions {
  /** Name that the server knows. */
  readonly from: string;
  /** Name that the client sent. */
  readonly to: string;
  /** The response is a stream of server-sent events. */
  readonly sse: boolean;
}

const nothing = Buffer.alloc(0);
const backslash = 0x5c;

/**
 * Puts the client's model name back in a response: where field `model` of the response object, or of the objects
 * `response` and `message` in it, is the server's name. Text that was generated stays as it is. Only a model name
 * that a chunk cuts is held back until it is whole.
 */
export class ModelRestorer {
  readonly #from: string;
  readonly #fromLiteral: Buffer;
  readonly #toLiteral: Buffer;
  /** Longest that the server's name can be in JSON: every UTF-16 unit an escape. */
  readonly #longestLiteral: number;
  readonly #fields: ResponseFields;
  /** Start of a model name that the last chunk ended in. */
  #held: Buffer = nothing;
  #chunk: Buffer = nothing;
  /** What to send for what was held and for the chunk up to `#done`; empty where that is the chunk itself. */
  #parts: Buffer[] = [];
  #done = 0;

  constructor({ from, to, sse }: ModelRestorerOptions) {
    this.#from = from;
    this.#fromLiteral = Buffer.from(JSON.stringify(from));
    this.#toLiteral = Buffer.from(JSON.stringify(to));
    this.#longestLiteral = 6 * from.length + 2;
    this.#fields = new ResponseFields({
      field: "model",
      kind: "string",
      sse,
      onValue: (start, end) => this.#restore(start, end),
    });
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
    return this.#take(end || open > this.#longestLiteral ? 0 : open);
  }

  /** Called for each value of the field. */
  #restore(start: number, end: number): void {
    if (start < 0) this.#restoreHeld(start, end);
    else if (this.#isFrom(this.#chunk.subarray(start, end))) {
      this.#parts.push(this.#chunk.subarray(this.#done, start), this.#toLiteral);
      this.#done = end;
    }
  }

  /** The start of a name that is too long to be the server's has been let go, and so is its end. */
  #restoreHeld(start: number, end: number): void {
    if (-start !== this.#held.length) return;
    if (!this.#isFrom(Buffer.concat([this.#held, this.#chunk.subarray(0, end)]))) return;
    this.#parts = [this.#toLiteral];
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

  /** A name has one form in JSON, escapes aside. */
  #isFrom(literal: Buffer): boolean {
    if (literal.equals(this.#fromLiteral)) return true;
    return literal.includes(backslash) && unescaped(literal) === this.#from;
  }
}

function unescaped(literal: Buffer): unknown {
  try {
    return JSON.parse(literal.toString());
  } catch {
    return undefined;
  }
}

/** A response's bytes can be read: JSON or server-sent events as the type says, not compressed. */
export function isRestorable(headers: RequestHeaders): boolean {
  const encoding = headers.get("content-encoding") ?? "identity";
  const type = headers.get("content-type") ?? "json";
  return encoding.trim().toLowerCase() === "identity" && /json|text\/event-stream/i.test(type);
}
