import type { Readable } from "node:stream";

/** Approximate memory of a chunk in addition to its bytes. */
const chunkBytes = 256;

/**
 * Pauses and resumes the input of a stream, and counts the bytes that arrive meanwhile: up to a flow control window. A
 * Readable emits no event for them, so `push` is replaced while it is paused.
 */
export class PausedInput {
  readonly #stream: Readable;
  readonly #onArrival: () => void;
  /** The original `push` while another one replaces it. */
  #push: Readable["push"] | undefined;
  #bytes = 0;

  /** @param onArrival called after bytes arrived that are not read */
  constructor(stream: Readable, onArrival: () => void) {
    this.#stream = stream;
    this.#onArrival = onArrival;
  }

  /** Memory of the bytes that have arrived and are not read. */
  get bytes(): number {
    return this.#bytes;
  }

  pause(): void {
    const stream = this.#stream;
    stream.pause();
    if (this.#push !== undefined) return;
    const { push } = stream;
    this.#push = push;
    stream.push = (chunk: Buffer | null) => {
      if (chunk === null) return push.call(stream, null);
      const own = withoutSlab(chunk);
      this.#bytes += own.length + chunkBytes;
      const mayContinue = push.call(stream, own);
      this.#onArrival();
      return mayContinue;
    };
  }

  /** Emits the bytes that arrived as one chunk. The stream stays paused. */
  read(): void {
    this.#bytes = 0;
    this.#stream.read();
  }

  resume(): void {
    this.#bytes = 0;
    if (this.#push !== undefined) this.#stream.push = this.#push;
    this.#push = undefined;
    this.#stream.resume();
  }
}

/** Copies a small part of a network buffer: a view would keep the whole buffer alive. */
const withoutSlab = (bytes: Buffer): Buffer =>
  2 * bytes.length < bytes.buffer.byteLength ? Buffer.from(bytes) : bytes;
