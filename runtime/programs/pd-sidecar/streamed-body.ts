import type { ServerResponse } from "node:http";
import type { Writer, WriteTurns } from "./write-turns.ts";

/** Maximum number of bytes that wait for the next turn. A larger buffer is written immediately. */
const mostWaiting = 64 * 1024;

const lineEnd = "\r\n";
const lastChunk = "0\r\n\r\n";

/**
 * The body of a response of unknown length, written in turns with the bodies of other responses. Node.js writes a chunk
 * in three pieces, which takes a third more system time. Here a chunk is one piece with all bytes since the last chunk.
 */
export class StreamedBody implements Writer {
  readonly #response: ServerResponse;
  readonly #turns: WriteTurns;
  readonly #isChunked: boolean;
  #pieces: Buffer[] = [];
  #length = 0;
  #isEnded = false;
  #waits = false;

  /** @param response its head has been written, but none of its body */
  constructor(response: ServerResponse, turns: WriteTurns) {
    this.#response = response;
    this.#turns = turns;
    // Node.js decided this when it wrote the head: HTTP/1.0 clients and responses without a body get no chunks.
    this.#isChunked = response.chunkedEncoding;
    response.chunkedEncoding = false;
  }

  /** @returns false if the caller must wait for `drain` before the next write */
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

  /** Writes the buffered bytes immediately. */
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

  /** Empties the buffer and returns its bytes as one chunk, followed by `after`. */
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
