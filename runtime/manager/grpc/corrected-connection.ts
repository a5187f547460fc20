import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import type { AuthorityCorrection } from "./authority.ts";

/** A connection whose received bytes are corrected. */
export class CorrectedConnection extends Duplex {
  readonly #socket: Socket;

  constructor(socket: Socket, correction: AuthorityCorrection, received: Buffer) {
    super();
    this.#socket = socket;
    this.push(received);
    socket.on("data", (chunk: Buffer) => {
      const complete = correction.push(chunk);
      if (complete.length > 0 && !this.push(complete)) socket.pause();
    });
    socket.once("end", () => this.push(null));
    socket.once("error", (error) => this.destroy(error));
    socket.once("close", () => this.destroy());
  }

  get remoteAddress(): string | undefined {
    return this.#socket.remoteAddress;
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}
