import type { IncomingMessage } from "node:http";
import type { BodyBudget } from "../../epp/request-path/body-budget.ts";
import type { Log } from "../../manager/log.ts";
import type { Connector } from "./connectors/connector.ts";
import type { EncoderConnectorName } from "./encode.ts";
import type { EngineClient } from "./engine.ts";
import type { LegSpans } from "./leg-spans.ts";
import type { RefusedTransfers } from "./refused-transfers.ts";
import type { SidecarMetrics } from "./sidecar-metrics.ts";
import type { Allowed } from "./targets.ts";
import type { WriteTurns } from "./write-turns.ts";

/** Action if the prefiller of a request fails: the decoder prefills, or the request fails. */
export const prefillFallbacks = ["local", "fail"] as const;
export type PrefillFallback = (typeof prefillFallbacks)[number];

/** Settings and shared state for all requests of a sidecar. */
export interface Sidecar {
  readonly connector: Connector;
  readonly prefillers: EngineClient;
  readonly decoders: EngineClient;
  readonly encoders: EngineClient;
  /** Connector that transfers the encoders' output; undefined if encoders are not used. */
  readonly encoderConnector: EncoderConnectorName | undefined;
  readonly allowedEncoders: Allowed;
  /** Prefillers that the sidecar may connect to. */
  readonly allowed: Allowed;
  /** Selects one of the addresses in a request; undefined if there is none. */
  readonly choosePrefiller: (addresses: readonly string[]) => string | undefined;
  readonly prefillFallback: PrefillFallback;
  readonly prefillMaxRetries: number;
  readonly prefillRetryBackoffMs: number;
  readonly prefillTimeoutMs: number;
  /** Memory budget for the bodies of all requests. */
  readonly budget: BodyBudget;
  /** Schedules the writes of all streams. */
  readonly turns: WriteTurns;
  /** IP address of this pod, to detect a prefiller in the same pod; undefined if unknown. */
  readonly podIp: string | undefined;
  readonly metrics: SidecarMetrics;
  /** Starts the spans of a request; undefined if tracing is off. */
  readonly spansOf: ((request: IncomingMessage, api: string) => LegSpans) | undefined;
  readonly log: Log;
  readonly refusedTransfers: RefusedTransfers;
}
