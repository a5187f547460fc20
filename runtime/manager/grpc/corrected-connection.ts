import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { AuthorityCorrection } from "./authority.ts";

/** A connection whose received bytes are corrected. */
class CorrectedConnection extends Duplex {
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

/** Time in which a connection sends its first bytes, in ms; it is as long as that for the answer to a ping. */
const firstBytesWithinMs = 20_000;

/**
 * Serves connections over HTTP/2 and corrects their authorities where that is needed. A gateway sends its first request
 * with the first bytes of a connection: if its authority is valid, Node.js reads the connection itself, which costs
 * nothing. Only connections whose first request has an invalid authority, or that send no request at first, are read
 * by this program.
 */
export class CorrectedConnections {
  readonly #waiting = new Set<Socket>();
  readonly #serve: (connection: Duplex) => void;

  /** @param serve starts an HTTP/2 session on a connection */
  constructor(serve: (connection: Duplex) => void) {
    this.#serve = serve;
  }

  take(socket: Socket): void {
    this.#waiting.add(socket);
    const late = setTimeout(() => socket.destroy(), firstBytesWithinMs).unref();
    const ignore = () => {};
    socket.on("error", ignore);
    const settle = () => {
      clearTimeout(late);
      this.#waiting.delete(socket);
      socket.off("close", settle);
      socket.off("readable", read);
    };
    const read = () => {
      const received: Buffer | null = socket.read();
      if (received === null) return;
      settle();
      socket.off("error", ignore);
      const correction = new AuthorityCorrection();
      const complete = correction.push(received);
      if (correction.headers > 0 && correction.corrected === 0) {
        socket.unshift(received);
        this.#serve(socket);
      } else this.#serve(new CorrectedConnection(socket, correction, complete));
    };
    socket.once("close", settle);
    socket.on("readable", read);
  }

  /** Ends the connections that have sent nothing. */
  abort(): void {
    for (const socket of this.#waiting) socket.destroy();
  }
}
