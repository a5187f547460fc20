import type { Socket } from "node:net";
import { Duplex } from "node:stream";

/** Longest head of a request that is held, in bytes. Node.js refuses longer ones. */
const longestHead = 16 * 1024;

/** Time after which a request beyond the rate of its address is refused, in ms: its client is slowed down meanwhile. */
const refusalDelayMs = 1_000;

const headEnd = "\r\n\r\n";
const noBytes: Buffer = Buffer.alloc(0);

/**
 * A connection that passes one request to node:http, and the next one when the caller calls `answered`. Without this,
 * Node.js handles all requests of a received chunk in one turn of the event loop, which may be thousands of pipelined
 * requests.
 */
export class PacedConnection extends Duplex {
  readonly remoteAddress: string;
  readonly #socket: Socket;
  readonly #mayPass: () => boolean;
  #received = noBytes;
  #isBusy = false;
  #hasEnded = false;
  #isRefused = false;
  #late: NodeJS.Timeout | undefined;

  /** @param mayPass whether the address may have another request now; the first request is not counted */
  constructor(socket: Socket, idleMs: number, mayPass: () => boolean) {
    super();
    this.remoteAddress = socket.remoteAddress ?? "";
    this.#socket = socket;
    let isFirst = true;
    this.#mayPass = () => {
      const passes = isFirst || mayPass();
      isFirst = false;
      return passes;
    };
    socket.setTimeout(idleMs, () => this.destroy());
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.once("end", () => {
      this.#hasEnded = true;
      this.#passNext();
    });
    socket.once("error", (error) => this.destroy(error));
    socket.once("close", () => this.destroy());
  }

  /** The request that was passed last exceeds the rate of its address. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** The response to the request that was passed last is complete. */
  answered(): void {
    this.#isBusy = false;
    setImmediate(() => this.#passNext());
  }

  #receive(chunk: Buffer): void {
    this.#received = Buffer.concat([this.#received, chunk]);
    if (this.#received.length > longestHead) this.#socket.pause();
    this.#passNext();
  }

  #passNext(): void {
    if (this.#isBusy || this.destroyed) return;
    const end = this.#received.indexOf(headEnd);
    if (end < 0 && this.#received.length <= longestHead) {
      if (this.#hasEnded) this.push(null);
      return;
    }
    this.#isBusy = true;
    const head = end < 0 ? this.#received.length : end + headEnd.length;
    if (this.#mayPass()) this.#pass(head);
    else
      this.#late = setTimeout(() => {
        this.#isRefused = true;
        this.#pass(head);
      }, refusalDelayMs);
  }

  #pass(bytes: number): void {
    const head = this.#received.subarray(0, bytes);
    this.#received = Buffer.from(this.#received.subarray(bytes));
    if (this.#received.length <= longestHead) this.#socket.resume();
    this.push(head);
  }

  override _read(): void {}

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.#late);
    // Writes what is left, such as the response to a request that is not HTTP.
    this.#socket.destroySoon();
    done(error);
  }
}
