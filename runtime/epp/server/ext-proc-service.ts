import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import type { EndpointPicker } from "../request-path/route.ts";
import { canEndAtOnce } from "./end-at-once.ts";
import { Exchange, type Report } from "./exchange.ts";
import { ExtProcStream, type Processor } from "./ext-proc-stream.ts";
import { OpenStreams, type StreamLimits } from "./open-streams.ts";
import { Turns } from "./turns.ts";

/** Method that proxies call (envoy/service/ext_proc/v3/external_processor.proto). */
export const extProcPath = "/envoy.service.ext_proc.v3.ExternalProcessor/Process";

export interface ExtProcService {
  /** Takes a stream of the method. */
  serve(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void;
  /** Streams that are open, for the drain. */
  openStreams(): number;
}

export interface ExtProcServiceOptions extends Partial<StreamLimits> {
  /** Bytes of the largest message; -1 for any. Default -1: some proxies send a body in one message. */
  readonly maxReceiveBytes?: number;
}

/** envoy.service.ext_proc.v3.ExternalProcessor. `report` gets the cause of every failure but refusals. */
export const extProcService = (
  picker: EndpointPicker,
  report: Report,
  options?: ExtProcServiceOptions,
): ExtProcService =>
  processorService(
    {
      ...{ bodies: picker.bodies, clock: picker.clock, observer: picker.observer },
      exchange: (send, report, proxyGoesOn) => new Exchange(picker, send, report, proxyGoesOn),
    },
    report,
    options,
  );

/** As `extProcService`, for any processor. */
export function processorService(
  processor: Processor,
  report: Report,
  { maxReceiveBytes = -1, ...limits }: ExtProcServiceOptions = {},
): ExtProcService {
  const { observer, clock } = processor;
  const open = new OpenStreams(limits, clock);
  const turns = new Turns();
  return {
    openStreams: () => open.count,
    serve(http2Stream, headers) {
      if (!open.hasCapacity) {
        http2Stream.on("error", () => {});
        http2Stream.close(constants.NGHTTP2_REFUSED_STREAM);
        return;
      }
      observer.streamOpened();
      const stream = new ExtProcStream(processor, report, http2Stream, {
        maxReceiveBytes,
        turns,
        proxyGoesOn: (goesOn(headers) || isRelayed(headers)) && canEndAtOnce(http2Stream),
        isRelayed: isRelayed(headers),
      });
      open.add(http2Stream, stream, (seconds) => {
        stream.close();
        observer.streamClosed(seconds, stream.outcome);
      });
    },
  };
}

/**
 * Envoy goes on by itself when a processor ends its stream in good order, as external_processor.proto says a proxy does;
 * others, such as agentgateway, fail the request. Envoy says who it is in each stream that it opens itself.
 */
export const goesOn = (headers: IncomingHttpHeaders): boolean => headers[envoyHeader] === "true";

/** Header of streams that Envoy opens itself. */
export const envoyHeader = "x-envoy-internal";

/**
 * Header of streams that a relay opens for a proxy which goes on by itself. The relay ends the proxy's stream with the last
 * answer, so it has to know which one that is before it passes it on: a notice comes before it.
 */
export const relayHeader = "x-inference-relay";

const isRelayed = (headers: IncomingHttpHeaders): boolean => headers[relayHeader] === "true";
