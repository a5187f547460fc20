import { connect, type Socket } from "node:net";

/** Result of a request: the status of its response, or an error. */
export interface HttpOutcome {
  status?: number;
  failure?: string;
}

/**
 * A keep-alive HTTP/1.1 connection that sends prepared requests one after another. It has only what a load driver
 * needs, so that it costs little compared with the proxy. Responses have a content-length or are chunked.
 */
export class HttpConnection {
  readonly #socket: Socket;
  #onEnd: ((outcome: HttpOutcome) => void) | undefined;
  #received: Buffer = Buffer.alloc(0);
  usable = true;

  constructor(host: string, port: number) {
    this.#socket = connect({ host, port, noDelay: true });
    this.#socket.on("data", (bytes) => this.#read(bytes));
    this.#socket.on("error", (error) => this.#fail(error.message));
    this.#socket.on("close", () => this.#fail("the connection was closed"));
  }

  /** Sends a whole request; the one before must have ended. */
  send(request: Buffer, onEnd: (outcome: HttpOutcome) => void): void {
    this.#onEnd = onEnd;
    this.#socket.write(request);
  }

  #read(bytes: Buffer): void {
    const { length } = this.#received;
    this.#received = length === 0 ? bytes : Buffer.concat([this.#received, bytes]);
    const headEnd = this.#received.indexOf("\r\n\r\n");
    if (headEnd < 0) return;
    const head = this.#received.toString("latin1", 0, headEnd).toLowerCase();
    if (!isWhole(head, this.#received, headEnd + 4)) return;
    this.#received = Buffer.alloc(0);
    this.#settle({ status: Number(head.slice(9, 12)) });
  }

  #fail(failure: string): void {
    this.usable = false;
    this.#settle({ failure });
  }

  #settle(outcome: HttpOutcome): void {
    const onEnd = this.#onEnd;
    this.#onEnd = undefined;
    onEnd?.(outcome);
  }
}

const lastChunk = Buffer.from("0\r\n\r\n");

function isWhole(head: string, received: Buffer, bodyStart: number): boolean {
  const length = /\r\ncontent-length: (\d+)/.exec(head)?.[1];
  if (length !== undefined) return received.length - bodyStart >= Number(length);
  return received.length >= bodyStart + 5 && received.subarray(-5).equals(lastChunk);
}

/** A POST of JSON as bytes. */
export function postRequest(authority: string, path: string, body: Buffer): Buffer {
  const head = [
    `POST ${path} HTTP/1.1`,
    `host: ${authority}`,
    "accept: application/json",
    "content-type: application/json",
    `content-length: ${body.length}`,
    "user-agent: OpenAI/JS 7.55.0",
    "authorization: Bearer key",
  ];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), body]);
}
