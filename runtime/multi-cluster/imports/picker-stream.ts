import { type ClientHttp2Stream, constants, type IncomingHttpHeaders } from "node:http2";
import type { Reach } from "../../../sdk/spec/reachable-address.ts";
import { leavingNotice } from "../../epp/protocol/processing-response.ts";
import { FrameReader, frames, grpcStatus } from "../../manager/grpc/grpc-frames.ts";
import { filteredAnswer, maxAnswerBytes, refusesForWantOfEndpoints } from "./pick-filter.ts";
import type { StreamStatus, UpstreamEvents, UpstreamStream } from "./upstream-stream.ts";

/** Timeout for a picker to accept a stream, in ms. A server that accepts no streams still answers pings. */
const openTimeoutMs = 2_000;

/**
 * Opens a stream to the picker of another cluster. Messages of the proxy pass unchanged; messages of the picker are
 * filtered.
 *
 * @param reach addresses to which the picker may send requests
 */
export function pickerStream(
  stream: ClientHttp2Stream,
  reach: Reach,
  events: UpstreamEvents,
): UpstreamStream {
  const reader = new FrameReader(maxAnswerBytes);
  let settled = false;
  let isFirst = true;
  let httpStatus: number | undefined;
  let status: StreamStatus | undefined;
  let failure: Error | undefined;

  const poll = setTimeout(() => {
    if (!stream.pending && stream.state.state !== constants.NGHTTP2_STREAM_STATE_IDLE) return;
    failure ??= new Error(`it accepted no stream within ${openTimeoutMs} ms`);
    settle();
    stream.destroy();
  }, openTimeoutMs).unref();
  stream.once("close", () => clearTimeout(poll));

  const settle = () => {
    if (settled) return;
    settled = true;
    if (status === undefined) events.unavailable(failure ?? new Error(lostReason(httpStatus)));
    else if (status.code === grpcStatus.unavailable)
      events.unavailable(new Error(`its status is UNAVAILABLE ${status.message}`));
    else events.ended(status);
  };

  stream.on("response", (headers) => {
    httpStatus = headers[":status"];
    status = statusOf(headers);
  });
  stream.on("trailers", (trailers: IncomingHttpHeaders) => {
    status = statusOf(trailers);
  });
  stream.on("data", (bytes: Buffer) => {
    // A proxy in between may respond with HTML instead of the picker.
    if (settled || httpStatus !== 200) return;
    try {
      let answers: Buffer[] = [];
      const pass = () => {
        if (answers.length > 0) events.answered(frames(answers));
        answers = [];
      };
      reader.push(bytes, (message) => {
        if (message.equals(leavingNotice)) {
          pass();
          events.leaving();
          return;
        }
        const filtered = filteredAnswer(message, reach);
        if (isFirst && refusesForWantOfEndpoints(filtered)) events.declined(frames([filtered]));
        else answers.push(filtered);
        isFirst = false;
      });
      pass();
    } catch (error) {
      settled = true;
      stream.close(constants.NGHTTP2_CANCEL);
      events.unavailable(error as Error);
    }
  });
  stream.on("drain", () => events.drained());
  stream.on("error", (error: Error) => {
    failure = error;
  });
  // The picker has sent everything, although it may still read. Trailers may be emitted right after the end.
  stream.on("end", () => setImmediate(settle));
  stream.on("close", settle);

  return {
    write: (bytes) => stream.writableEnded || stream.destroyed || stream.write(bytes),
    heldBytes: () => stream.writableLength + stream.readableLength + reader.budget,
    end: () => stream.end(),
    pause: () => stream.pause(),
    resume: () => stream.resume(),
    close() {
      settled = true;
      stream.close(status === undefined ? constants.NGHTTP2_CANCEL : constants.NGHTTP2_NO_ERROR);
      // Otherwise the stream keeps its bytes until the connection has sent the reset.
      if (status === undefined) stream.destroy();
    },
  };
}

function statusOf(headers: IncomingHttpHeaders): StreamStatus | undefined {
  const code = headers["grpc-status"];
  if (code === undefined) return undefined;
  return { code: Number(code), message: String(headers["grpc-message"] ?? "") };
}

const lostReason = (httpStatus: number | undefined) =>
  httpStatus === undefined || httpStatus === 200
    ? "the stream was reset"
    : `it returned HTTP status ${httpStatus}`;
