import { getPackedSettings, type Settings } from "node:http2";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { AuthorityCorrection } from "./authority.ts";
import { CorrectedConnection } from "./corrected-connection.ts";

/** Bounds of connections whose reader is not decided. */
export interface UndecidedLimits {
  /**
   * Time to the decision, in ms. A connection that has sent nothing then ends. Default 20,000, the time for the answer
   * to a ping.
   */
  readonly time: number;
  /** Bytes received from one connection. Default: HTTP/2's default window, and a header block. */
  readonly bytesOfConnection: number;
  /** Bytes held of all connections. Default 4 MiB. */
  readonly bytes: number;
  /** Reads of one connection: each copies the bytes that are held. Default 64. */
  readonly reads: number;
}

const defaultLimits: UndecidedLimits = {
  time: 20_000,
  bytesOfConnection: 65_535 + 16_384,
  bytes: 4 * 2 ** 20,
  reads: 64,
};

const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/** Returns a frame of the whole connection, whose stream is 0. */
const connectionFrame = (type: number, flags: number, payload: Buffer) =>
  Buffer.concat([Buffer.from([0, 0, payload.length, type, flags, 0, 0, 0, 0]), payload]);
const settingsFrame = (settings: Settings) => connectionFrame(4, 0, getPackedSettings(settings));
const pingAnswer = (payload: Buffer) => connectionFrame(6, 1, payload);

type Reader = "node" | "program";

/**
 * Decides who reads a connection over HTTP/2 by its first request. Node.js reads it at no further cost if the authority
 * is valid. Otherwise this program reads it and corrects its authorities; it also reads connections that it cannot judge.
 *
 * Envoy sends its first request with the first bytes of a connection. gRPC's clients wait for the server's settings, so
 * this program sends them and answers pings until the request arrives. Node.js sends settings again when it starts. It
 * must receive only the second acknowledgement.
 */
export class ConnectionReaders {
  readonly #undecided = new Map<Socket, Undecided>();
  readonly #serve: (connection: Duplex) => void;
  readonly #settings: Buffer;
  readonly #limits: UndecidedLimits;
  #bytes = 0;

  /**
   * @param serve starts an HTTP/2 session on a connection: a socket that Node.js reads, or another stream
   * @param settings settings of the server that apply before the session starts
   */
  constructor(
    serve: (connection: Duplex) => void,
    settings: Settings,
    limits: Partial<UndecidedLimits> = {},
  ) {
    this.#serve = serve;
    this.#settings = settingsFrame(settings);
    this.#limits = { ...defaultLimits, ...limits };
  }

  take(socket: Socket): void {
    const undecided = new Undecided(socket);
    this.#undecided.set(socket, undecided);
    const ignore = () => {};
    const end = () => socket.destroy();
    const settle = () => {
      clearTimeout(late);
      this.#undecided.delete(socket);
      this.#bytes -= undecided.held;
      socket.off("close", settle).off("end", end).off("error", ignore).off("readable", read);
    };
    undecided.decide = (reader) => {
      settle();
      this.#serve(reader === "node" ? undecided.unread() : undecided.corrected());
    };
    const late = setTimeout(() => undecided.giveUp(), this.#limits.time).unref();
    const read = () => {
      const received: Buffer | null = socket.read();
      if (received === null) return;
      const before = undecided.held;
      const reader = undecided.push(received);
      if (reader === undefined) undecided.greet(this.#settings);
      this.#bytes += undecided.held - before;
      if (reader !== undefined) undecided.decide(reader);
      else if (undecided.exceeds(this.#limits) || this.#bytes > this.#limits.bytes)
        undecided.decide("program");
    };
    socket.on("error", ignore).once("close", settle).once("end", end).on("readable", read);
  }

  /** Starts sessions on undecided connections, so that they end as others do, and ends those that have sent nothing. */
  stop(): void {
    for (const undecided of this.#undecided.values()) undecided.giveUp();
  }

  /** Ends undecided connections. */
  abort(): void {
    for (const socket of this.#undecided.keys()) socket.destroy();
  }
}

/** A connection whose first request has not arrived. */
class Undecided {
  readonly #socket: Socket;
  #correction = new AuthorityCorrection();
  #complete: Buffer = Buffer.alloc(0);
  #received = 0;
  #reads = 0;
  #isGreeted = false;
  decide: (reader: Reader) => void = () => {};

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Bytes that are held. */
  get held(): number {
    return this.#complete.length + this.#correction.incomplete.length;
  }

  exceeds({ reads, bytesOfConnection }: UndecidedLimits): boolean {
    return this.#reads >= reads || this.#received > bytesOfConnection;
  }

  /** Takes received bytes. Returns the reader once it is decided. */
  push(received: Buffer): Reader | undefined {
    const correction = this.#correction;
    this.#reads += 1;
    this.#received += received.length;
    const complete = correction.push(received);
    this.#complete =
      this.#complete.length === 0 ? complete : Buffer.concat([this.#complete, complete]);
    this.#answerPings();
    const known = Math.min(this.#complete.length, preface.length);
    if (!preface.subarray(0, known).equals(this.#complete.subarray(0, known))) return "program";
    if (correction.headers === 0) return undefined;
    if (correction.valid === 0 || correction.corrected > 0) return "program";
    return correction.awaitsAcknowledgement ? undefined : "node";
  }

  /** Sends the server's settings once, and answers the pings that came with the first bytes. */
  greet(settings: Buffer): void {
    if (this.#isGreeted) return;
    this.#isGreeted = true;
    this.#socket.write(settings);
    const received = this.#all();
    this.#correction = new AuthorityCorrection();
    this.#correction.greeted();
    this.#complete = this.#correction.push(received);
    this.#answerPings();
  }

  /** Returns the socket with all held bytes unread. */
  unread(): Socket {
    this.#socket.unshift(this.#all());
    return this.#socket;
  }

  corrected(): CorrectedConnection {
    this.#correction.started();
    return new CorrectedConnection(this.#socket, this.#correction, this.#complete);
  }

  /** Decides without a request. */
  giveUp(): void {
    if (this.#received > 0) this.decide("program");
    else this.#socket.destroy();
  }

  #all(): Buffer {
    return Buffer.concat([this.#complete, this.#correction.incomplete]);
  }

  #answerPings(): void {
    for (const payload of this.#correction.pings()) this.#socket.write(pingAnswer(payload));
  }
}
