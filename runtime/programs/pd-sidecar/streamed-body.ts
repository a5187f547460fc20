import type { ServerResponse } from "node:http";
import type { Writer, WriteTurns } from "./write-turns.ts";

/** Bytes that wait; more are written at once. */
const mostWaiting = 64 * 1024;

const lineEnd = "\r\n";
const lastChunk = "0\r\n\r\n";

/**
 * The body of an answer whose end is not known, written in turns with those of others. Node.js writes a chunk in three
 * pieces, which takes the system a third longer: here a chunk is one piece, with all that came since the last.
 */
export class StreamedBody implements Writer {
  readonly #response: ServerResponse;
  readonly #turns: WriteTurns;
  readonly #isChunked: boolean;
  #pieces: Buffer[] = [];
  #length = 0;
  #isEnded = false;
  #waits = false;

  /** @param response its head has been written, and nothing of its body */
  constructor(response: ServerResponse, turns: WriteTurns) {
    this.#response = response;
    this.#turns = turns;
    // Node.js has decided by the head: a client of HTTP/1.0 gets no chunks, and neither does an answer without a body.
    this.#isChunked = response.chunkedEncoding;
    response.chunkedEncoding = false;
  }

  /** @returns false where nothing more is to come until the response drains */
  write(piece: Buffer): boolean {
    this.#pieces.push(piece);
    this.#length += piece.length;
    if (this.#length > mostWaiting) this.flush();
    else this.#wait();
    return !this.#response.writableNeedDrain;
  }

  end(): void {
    this.#isEnded = true;
    this.#wait();
  }

  /** Writes what waits at once. */
  flush(): void {
    if (this.#length > 0) this.#response.write(this.#take(""));
  }

  takeTurn(): void {
    this.#waits = false;
    if (this.#response.destroyed) return;
    if (!this.#isEnded) this.flush();
    else this.#response.end(this.#take(this.#isChunked ? lastChunk : ""));
  }

  #wait(): void {
    if (this.#waits) return;
    this.#waits = true;
    this.#turns.add(this);
  }

  /** All that waits as one chunk, and what follows it. */
  #take(after: string): Buffer {
    const isChunk = this.#isChunked && this.#length > 0;
    const before = isChunk ? `${this.#length.toString(16)}${lineEnd}` : "";
    const behind = isChunk ? `${lineEnd}${after}` : after;
    const bytes = Buffer.allocUnsafe(before.length + this.#length + behind.length);
    let at = bytes.write(before, "latin1");
    for (const piece of this.#pieces) {
      bytes.set(piece, at);
      at += piece.length;
    }
    bytes.write(behind, at, "latin1");
    this.#pieces = [];
    this.#length = 0;
    return bytes;
  }
}
