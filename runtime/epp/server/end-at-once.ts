import type { ServerHttp2Stream } from "node:http2";

/** What Node.js gives no way to: trailers in the write in which the last bytes go. */
interface Handle {
  /** Names and values as nghttp2 takes them, and their count. */
  trailers(headers: readonly [text: string, count: number]): number;
}

const statusOk = ["grpc-status\x000\x00\x00", 1] as const;

/**
 * `sendTrailers` sends trailers in a later turn of the event loop than the last bytes, so a proxy may hear milliseconds
 * later that the stream is over. Those bytes are all that the request waits for: the response may begin meanwhile, and in
 * full duplex mode what the proxy sends of it to a stream that is over is lost. nghttp2 takes trailers while it asks for
 * the last bytes, and this hands them over right then.
 *
 * Undefined where this Node.js keeps the stream's handle elsewhere: then no stream may be ended before its response.
 */
function handleOf(stream: ServerHttp2Stream): Handle | undefined {
  handleKey ??= Object.getOwnPropertySymbols(stream).find(
    ({ description }) => description === "kHandle",
  );
  const handle =
    handleKey && (stream as unknown as Record<symbol, Partial<Handle> | undefined>)[handleKey];
  return typeof handle?.trailers === "function" ? (handle as Handle) : undefined;
}

/** The key of the handle, which is the same for all streams. */
let handleKey: symbol | undefined;

export const canEndAtOnce = (stream: ServerHttp2Stream): boolean => handleOf(stream) !== undefined;

/**
 * Ends a stream that asks for its trailers with gRPC status OK, in the write that it asks in. Answers false where this
 * Node.js has no way to.
 */
export function trailWithOk(stream: ServerHttp2Stream): boolean {
  const handle = handleOf(stream);
  handle?.trailers(statusOk);
  return handle !== undefined;
}

const noBytes = Buffer.alloc(0);

/**
 * Ends a stream with these bytes and gRPC status OK in one write, as soon as those before are written. Its listener of `wantTrailers` must not send any.
 *
 * @param stream one that has responded with `waitForTrailers`
 */
export function endAtOnce(stream: ServerHttp2Stream, bytes: Buffer): void {
  if (stream.destroyed) return;
  if (stream.writableLength > 0) {
    stream.write(noBytes, () => endAtOnce(stream, bytes));
    return;
  }
  stream.once("wantTrailers", () => trailWithOk(stream));
  stream.end(bytes);
  // Else the end is told to nghttp2 when the write is over.
  stream._final(() => {});
}
