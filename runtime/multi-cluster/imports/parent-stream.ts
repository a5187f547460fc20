import { hopsHeader } from "../../../sdk/topology/multi-cluster-names.ts";
import type { ProcessingRequest } from "../../epp/protocol/processing-request.ts";
import { readProcessingRequest } from "../../epp/protocol/processing-request.ts";
import {
  bodyResponse,
  headersResponse,
  streamedBodies,
  trailersResponse,
} from "../../epp/protocol/processing-response.ts";
import { pointAt } from "../../epp/request-path/mutate.ts";
import { type BodyMode, bodyModes } from "../../epp/server/body-mode.ts";
import { FrameError, FrameReader, frames, grpcStatus } from "../../epp/server/grpc-frames.ts";
import type { UpstreamEvents, UpstreamStream } from "./upstream-stream.ts";

/** A gateway of another cluster. */
export interface GatewayHop {
  readonly address: string;
  readonly hops: number;
}

/**
 * Serves a stream in this process: the request goes to a gateway of another cluster, and everything else stays as it is. The
 * gateway has the request picked for once more.
 *
 * @param to the gateway, `ip:port`, and through how many clusters the request goes with it
 * @param mayLeave the proxy can do the rest by itself when the request has its answers
 */
export function parentStream(
  to: GatewayHop,
  maxReceiveBytes: number,
  mayLeave: boolean,
  events: UpstreamEvents,
): UpstreamStream {
  const reader = new FrameReader(maxReceiveBytes);
  let modes: ReturnType<typeof bodyModes> | undefined;
  let paused = false;
  let closed = false;

  /** False where nothing more is answered. */
  const take = (message: ProcessingRequest): boolean => {
    if (closed) return false;
    modes ??= bodyModes(message.protocolConfig);
    const answers = answersTo(message, modes, to);
    const leaves = mayLeave && isLastOfRequest(message, modes.request);
    if (leaves) events.leaving();
    if (answers.length > 0) events.answered(frames(answers));
    if (leaves) events.ended({ code: grpcStatus.ok, message: "" });
    return !leaves;
  };

  return {
    write(bytes) {
      try {
        reader.push(bytes, (message) => take(readProcessingRequest(message)));
      } catch (error) {
        const code = error instanceof FrameError ? error.code : grpcStatus.internal;
        events.ended({ code, message: encodeURI((error as Error).message) });
        return true;
      }
      return !paused;
    },
    end() {
      if (!closed) events.ended({ code: grpcStatus.ok, message: "" });
    },
    pause() {
      paused = true;
    },
    resume() {
      paused = false;
      events.drained();
    },
    close() {
      closed = true;
    },
  };
}

/** Nothing of the request follows that wants an answer. */
const isLastOfRequest = ({ kind, endOfStream }: ProcessingRequest, mode: BodyMode): boolean =>
  kind === "requestTrailers" ||
  (kind === "requestBody" && (endOfStream || mode === "whole")) ||
  (kind === "requestHeaders" && (endOfStream || mode === "none" || mode === "chunks"));

function answersTo(
  { kind, headers, body, endOfStream }: ProcessingRequest,
  { request, response }: { request: BodyMode; response: BodyMode },
  to: GatewayHop,
): Buffer[] {
  switch (kind) {
    case "requestHeaders": {
      const { set: pointing, dynamicMetadata } = pointAt(headers, [to]);
      const set = [...pointing, [hopsHeader, String(to.hops)] as const];
      return [headersResponse(kind, { set, dynamicMetadata, clearRouteCache: true })];
    }
    case "responseHeaders":
      return [headersResponse(kind)];
    case "requestBody":
      return bodyAnswers(kind, request, body, endOfStream);
    case "responseBody":
      return bodyAnswers(kind, response, body, endOfStream);
    case "requestTrailers":
    case "responseTrailers":
      return [trailersResponse(kind)];
    default:
      return [];
  }
}

/** In full duplex the answer is the body; else it says that the body stays. */
const bodyAnswers = (
  kind: "requestBody" | "responseBody",
  mode: BodyMode,
  body: Buffer,
  endOfStream: boolean,
): Buffer[] => (mode === "duplex" ? streamedBodies(kind, body, endOfStream) : [bodyResponse(kind)]);
