import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { HeldBytes } from "../../manager/held-bytes.ts";
import type { EndpointPicker } from "../request-path/route.ts";
import { canEndAtOnce } from "./end-at-once.ts";
import { Exchange, type Report } from "./exchange.ts";
import { ExtProcStream, type Processor } from "./ext-proc-stream.ts";
import { OpenStreams, type StreamLimits } from "./open-streams.ts";
import { Turns } from "./turns.ts";

/** Method that proxies call (envoy/service/ext_proc/v3/external_processor.proto). */
export const extProcPath = "/envoy.service.ext_proc.v3.ExternalProcessor/Process";

export interface ExtProcService {
  serve(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void;
  /** Number of open streams; a drain waits until it is 0. */
  openStreams(): number;
}

export interface ExtProcServiceOptions extends Partial<StreamLimits> {
  /** Size of the largest message, in bytes; -1 for no limit. Default -1: some proxies send a body in one message. */
  readonly maxReceiveBytes?: number;
  /** Budget for bytes that wait for proxies, shared by the services of a process. Default: a new one. */
  readonly held?: HeldBytes | undefined;
}

/** Serves envoy.service.ext_proc.v3.ExternalProcessor. `report` gets the cause of every failure except refusals. */
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

/** Like `extProcService`, for any processor. */
export function processorService(
  processor: Processor,
  report: Report,
  { maxReceiveBytes = -1, held = new HeldBytes(), ...limits }: ExtProcServiceOptions = {},
): ExtProcService {
  const { observer, clock } = processor;
  const open = new OpenStreams(limits, clock);
  const turns = new Turns();
  return {
    openStreams: () => open.count,
    serve(http2Stream, headers) {
      open.enter(http2Stream, () => {
        observer.streamOpened();
        const stream = new ExtProcStream(processor, report, http2Stream, {
          ...{ maxReceiveBytes, turns, held },
          proxyGoesOn: (goesOn(headers) || isRelayed(headers)) && canEndAtOnce(http2Stream),
          isRelayed: isRelayed(headers),
        });
        const onClose = (seconds: number) => {
          stream.close();
          observer.streamClosed(seconds, stream.outcome);
        };
        return { stream, onClose };
      });
    },
  };
}

/**
 * Whether the proxy continues on its own when a processor ends its stream with status OK. external_processor.proto
 * requires this of a proxy, and Envoy does it; other proxies, such as agentgateway, fail the request.
 */
export const goesOn = (headers: IncomingHttpHeaders): boolean => headers[envoyHeader] === "true";

/** Header that Envoy sets on every stream that it opens. */
export const envoyHeader = "x-envoy-internal";

/**
 * Header that a relay sets on streams that it opens for a proxy which continues on its own. The relay ends the proxy's
 * stream together with the last answer, so it must recognize that answer before it forwards it: the picker sends a
 * notice first.
 */
export const relayHeader = "x-inference-relay";

const isRelayed = (headers: IncomingHttpHeaders): boolean => headers[relayHeader] === "true";
