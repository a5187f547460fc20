import type { ServerHttp2Stream } from "node:http2";

/**
 * Internal handle of a stream. Sends trailers in the same write as the last bytes, for which Node.js has no public API.
 */
interface Handle {
  /** Names and values as nghttp2 takes them, and their count. */
  trailers(headers: readonly [text: string, count: number]): number;
}

const statusOk = ["grpc-status\x000\x00\x00", 1] as const;

/**
 * Returns the internal handle of a stream. `sendTrailers` sends trailers in a later turn of the event loop than the
 * last bytes, so a proxy may learn milliseconds later that the stream is over. The request waits only for those bytes:
 * the response may begin meanwhile, and in full duplex mode a response sent to a stream that is over is lost. nghttp2
 * accepts trailers while it asks for the last bytes, and this handle passes them at that moment.
 *
 * Undefined if this version of Node.js keeps the handle elsewhere. Then no stream may be ended before its response.
 */
function handleOf(stream: ServerHttp2Stream): Handle | undefined {
  handleKey ??= Object.getOwnPropertySymbols(stream).find(
    ({ description }) => description === "kHandle",
  );
  const handle =
    handleKey && (stream as unknown as Record<symbol, Partial<Handle> | undefined>)[handleKey];
  return typeof handle?.trailers === "function" ? (handle as Handle) : undefined;
}

/** Symbol of the handle; the same for all streams. */
let handleKey: symbol | undefined;

export const canEndAtOnce = (stream: ServerHttp2Stream): boolean => handleOf(stream) !== undefined;

/**
 * Ends a stream that asks for its trailers with gRPC status OK, in the same write. Returns false if this version of
 * Node.js does not support that.
 */
export function trailWithOk(stream: ServerHttp2Stream): boolean {
  const handle = handleOf(stream);
  handle?.trailers(statusOk);
  return handle !== undefined;
}

const noBytes = Buffer.alloc(0);

/**
 * Ends a stream with these bytes and gRPC status OK in one write, after all earlier bytes are written. No other
 * listener of `wantTrailers` may send trailers.
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
  // Without this, nghttp2 learns of the end only after the write.
  stream._final(() => {});
}
