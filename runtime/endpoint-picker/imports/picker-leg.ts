import { type ClientHttp2Stream, constants, type IncomingHttpHeaders } from "node:http2";
import { grpcStatus } from "../server/grpc-frames.ts";
import type { Leg, LegEvents, StreamStatus } from "./leg.ts";

/** A stream to the picker of another cluster: bytes pass as they are, both ways. */
export function pickerLeg(stream: ClientHttp2Stream, events: LegEvents): Leg {
  let settled = false;
  let httpStatus: number | undefined;
  let status: StreamStatus | undefined;
  let failure: Error | undefined;

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
    // A proxy on the way answers in HTML what the picker would have said.
    if (!settled && httpStatus === 200) events.answered(bytes);
  });
  stream.on("drain", () => events.drained());
  stream.on("error", (error: Error) => {
    failure = error;
  });
  // The other end said all, though it may still listen. Trailers may be told right after the end.
  stream.on("end", () => setImmediate(settle));
  stream.on("close", settle);

  return {
    write: (bytes) => stream.writableEnded || stream.destroyed || stream.write(bytes),
    end: () => stream.end(),
    pause: () => stream.pause(),
    resume: () => stream.resume(),
    close() {
      settled = true;
      stream.close(status === undefined ? constants.NGHTTP2_CANCEL : constants.NGHTTP2_NO_ERROR);
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
    : `it answered with HTTP status ${httpStatus}`;
