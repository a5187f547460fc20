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
import { FrameError, FrameReader, frames, grpcStatus } from "../../manager/grpc/grpc-frames.ts";
import type { UpstreamEvents, UpstreamStream } from "./upstream-stream.ts";

/** A gateway of another cluster, and the hop count of requests sent to it. */
export interface GatewayHop {
  readonly address: string;
  readonly hops: number;
}

/**
 * Serves a stream in this process: sends the request to a gateway of another cluster and changes nothing else. That
 * gateway calls its own picker.
 *
 * @param to the gateway (`ip:port`), and the hop count including this hop
 * @param mayLeave whether the proxy can continue without the stream once the request has its responses
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

  /** Returns false if the stream needs no further messages. */
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
    heldBytes: () => reader.budget,
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

/** Whether this is the last message of the request that needs a response. */
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

/** In full-duplex mode the response contains the body; otherwise it leaves the body unchanged. */
const bodyAnswers = (
  kind: "requestBody" | "responseBody",
  mode: BodyMode,
  body: Buffer,
  endOfStream: boolean,
): Buffer[] => (mode === "duplex" ? streamedBodies(kind, body, endOfStream) : [bodyResponse(kind)]);
