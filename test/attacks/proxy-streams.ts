import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import { connect as connectTcp } from "node:net";
import type { Stage } from "./stage.ts";

/** Streams of a client that speaks to the picker's ports as a proxy does. */

export const method = {
  ":method": "POST",
  ":path": "/envoy.service.ext_proc.v3.ExternalProcessor/Process",
  "content-type": "application/grpc",
  te: "trailers",
} as const;

export const requestHeaders = (path = "/v1/completions") => ({
  requestHeaders: {
    headers: {
      headers: [
        { key: ":method", rawValue: Buffer.from("POST") },
        { key: ":path", rawValue: Buffer.from(path) },
      ],
    },
  },
});

export const requestBody = (text: string, endOfStream = true) => ({
  requestBody: { body: Buffer.from(text), endOfStream },
});

/** @param localAddress address of the client. Default: 127.0.0.1 */
export function connection(port: number, localAddress?: string): ClientHttp2Session {
  const session = connect(`http://127.0.0.1:${port}`, {
    createConnection: () => connectTcp({ port, host: "127.0.0.1", localAddress }),
  });
  session.on("error", () => {});
  return session;
}

export function open(session: ClientHttp2Session): ClientHttp2Stream {
  const stream = session.request(method);
  stream.on("error", () => {});
  stream.resume();
  return stream;
}

/** Until the signal, or until the connection was ended. */
export const goesOn = (
  session: { readonly destroyed: boolean },
  stage: Stage,
  signal: AbortSignal,
) => !session.destroyed && !signal.aborted && stage.ended() === undefined;

/** Counts how streams end: by their gRPC status, or `reset` if they have none. */
export class StreamEnds {
  readonly #ends = new Map<string, number>();

  count(stream: ClientHttp2Stream): ClientHttp2Stream {
    let end = "reset";
    stream.on("trailers", (trailers) => {
      end = `status ${trailers["grpc-status"]}`;
    });
    stream.on("close", () => this.#ends.set(end, (this.#ends.get(end) ?? 0) + 1));
    return stream;
  }

  toString(): string {
    return [...this.#ends].map(([end, count]) => `${end} x ${count}`).join(", ") || "held";
  }
}
