import type { Readable } from "node:stream";

/** Approximate memory of a chunk in addition to its bytes. */
const chunkBytes = 256;

/**
 * Pauses and resumes the input of a stream, and counts the bytes that arrive meanwhile: up to a flow control window. A
 * Readable emits no event for them, so `push` is replaced while it is paused.
 */
export class PausedInput {
  readonly #stream: Readable;
  readonly #push: Readable["push"];
  readonly #countingPush: Readable["push"];
  #bytes = 0;

  /** @param onArrival called after bytes arrived that are not read */
  constructor(stream: Readable, onArrival: () => void) {
    this.#stream = stream;
    this.#push = stream.push;
    this.#countingPush = (chunk: Buffer | null) => {
      if (chunk === null) return this.#push.call(stream, null);
      const own = withoutSlab(chunk);
      this.#bytes += own.length + chunkBytes;
      const mayContinue = this.#push.call(stream, own);
      onArrival();
      return mayContinue;
    };
  }

  /** Memory of the bytes that have arrived and are not read. */
  get bytes(): number {
    return this.#bytes;
  }

  pause(): void {
    this.#stream.pause();
    this.#stream.push = this.#countingPush;
  }

  /** Emits the bytes that arrived as one chunk. The stream stays paused. */
  read(): void {
    this.#bytes = 0;
    this.#stream.read();
  }

  resume(): void {
    this.#bytes = 0;
    this.#stream.push = this.#push;
    this.#stream.resume();
  }
}

/** Copies a small part of a network buffer: a view would keep the whole buffer alive. */
export const withoutSlab = (bytes: Buffer): Buffer =>
  2 * bytes.length < bytes.buffer.byteLength ? Buffer.from(bytes) : bytes;
