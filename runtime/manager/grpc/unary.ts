import type { ServerHttp2Stream } from "node:http2";
import { FrameError, FrameReader, frames, grpcStatus } from "./grpc-frames.ts";

/** The streams of methods that take one message. */

const contentType = "application/grpc";

/**
 * Reads the only message of a request. A message that is too long, compressed or missing is refused.
 *
 * @param maxBytes size of the largest message
 */
export function readMessage(
  stream: ServerHttp2Stream,
  maxBytes: number,
  receive: (message: Buffer) => void,
): void {
  const reader = new FrameReader(maxBytes);
  let received = false;
  // `close` follows every error.
  stream.on("error", () => {});
  stream.on("data", (bytes: Buffer) => {
    try {
      reader.push(bytes, (message) => {
        if (!received) receive(message);
        received = true;
        return false;
      });
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      received = true;
      refuse(stream, error.code, error.message);
    }
  });
  stream.on("end", () => {
    if (!received) refuse(stream, grpcStatus.invalidArgument, "the request has no message");
  });
}

/** Starts the response to a request; its status OK follows the last message. */
export function respond(stream: ServerHttp2Stream): void {
  // A client can reset a stream with the bytes that open it.
  if (stream.closed) return;
  stream.respond({ ":status": 200, "content-type": contentType }, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": String(grpcStatus.ok) }));
}

/** Sends the only message of a response. */
export function respondWith(stream: ServerHttp2Stream, message: Buffer): void {
  respond(stream);
  stream.end(frames([message]));
}

/** Ends a stream that has no response yet with a status. */
export function refuse(stream: ServerHttp2Stream, status: number, message: string): void {
  stream.on("error", () => {});
  if (stream.closed || stream.headersSent) return;
  stream.respond(
    {
      ":status": 200,
      "content-type": contentType,
      "grpc-status": String(status),
      "grpc-message": encodeURI(message),
    },
    { endStream: true },
  );
  // Reads and drops further data, so that the peer is not blocked.
  stream.resume();
}
