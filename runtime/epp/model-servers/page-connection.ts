import { connect, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import { limits } from "../../limits.ts";
import { PageResponse } from "./page-response.ts";

export interface PageAddress {
  /** An IP address without brackets. */
  readonly host: string;
  readonly port: number;
  readonly path: string;
  /** Undefined for plain HTTP. */
  readonly tls: ConnectionOptions | undefined;
}

/**
 * @param outcome the page, valid only during the call, or the reason why there is none
 * @param readMs time spent on reading and parsing its pieces, in ms
 */
export type PageRead = (outcome: Buffer | Error, readMs: number) => void;

/** All plain connections read into this buffer, one at a time. A page that arrives in one piece is never copied. */
const piece = Buffer.allocUnsafe(64 * 1_024);

/** Reads a server's page repeatedly, over one connection as long as the server keeps it open. */
export class PageConnection {
  readonly #address: PageAddress;
  readonly #timeoutMs: number;
  readonly #request: string;
  #socket: Socket | undefined;
  #waiting: { readonly done: PageRead; readonly deadline: NodeJS.Timeout } | undefined;
  #response: PageResponse | undefined;
  #readMs = 0;

  constructor(address: PageAddress, timeoutMs: number) {
    const { host, port, path } = address;
    this.#address = address;
    this.#timeoutMs = timeoutMs;
    const authority = `${host.includes(":") ? `[${host}]` : host}:${port}`;
    this.#request = `GET ${path} HTTP/1.1\r\nhost: ${authority}\r\naccept: text/plain\r\nconnection: keep-alive\r\n\r\n`;
  }

  get isOpen(): boolean {
    return this.#socket !== undefined;
  }

  /** Reads the page once. Do not call it while a read is pending. */
  read(done: PageRead): void {
    const timeoutMs = this.#timeoutMs;
    const giveUp = () => this.#finish(new Error(`no answer within ${timeoutMs} ms`), false);
    // A timer may be late although the response has arrived. Received data is read first.
    const deadline = setTimeout(
      () => setImmediate(() => this.#waiting === waiting && giveUp()),
      timeoutMs,
    );
    const waiting = { done, deadline };
    this.#waiting = waiting;
    this.#response = new PageResponse(limits.metricsPage.value);
    this.#readMs = 0;
    this.#socket ??= this.#connect();
    this.#socket.write(this.#request, "latin1");
  }

  /** Closes the connection. A pending read is not reported. */
  close(): void {
    clearTimeout(this.#waiting?.deadline);
    this.#waiting = undefined;
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #connect(): Socket {
    const { host, port, tls } = this.#address;
    const take = (received: Buffer) => {
      if (this.#socket === socket) this.#take(received);
    };
    const socket =
      tls === undefined
        ? connect({
            ...{ host, port, noDelay: true },
            onread: {
              buffer: piece,
              callback(bytes) {
                take(piece.subarray(0, bytes));
                return true;
              },
            },
          })
        : connectTls({ host, port, ...tls }).on("data", take);
    const ended = (error: Error) => {
      if (this.#socket !== socket) return;
      this.#socket = undefined;
      this.#finish(error, false);
    };
    socket.on("error", ended);
    socket.on("close", () => {
      if (this.#socket !== socket) return;
      const body = this.#response?.end();
      if (body !== undefined && this.#waiting !== undefined) this.#finish(body, false);
      else ended(new Error("the connection ended before the end of the page"));
    });
    return socket;
  }

  #take(received: Buffer): void {
    const from = performance.now();
    // The connection to a server that sends unrequested data is closed.
    const outcome =
      this.#waiting === undefined ? new Error("unexpected data") : this.#response?.read(received);
    this.#readMs += performance.now() - from;
    if (outcome !== undefined)
      this.#finish(outcome, !(outcome instanceof Error) && this.#response?.keepsOpen === true);
  }

  #finish(outcome: Buffer | Error, keepsOpen: boolean): void {
    if (!keepsOpen) {
      this.#socket?.destroy();
      this.#socket = undefined;
    }
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#response = undefined;
    clearTimeout(waiting?.deadline);
    waiting?.done(outcome, this.#readMs);
  }
}
