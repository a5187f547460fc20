import type { IncomingMessage } from "node:http";
import type { BodyBudget } from "../../epp/request-path/body-budget.ts";
import type { Log } from "../../manager/log.ts";
import type { Connector } from "./connectors/connector.ts";
import type { EncoderConnectorName } from "./encode.ts";
import type { EngineClient } from "./engine.ts";
import type { LegSpans } from "./leg-spans.ts";
import type { SidecarMetrics } from "./sidecar-metrics.ts";
import type { Allowed } from "./targets.ts";
import type { WriteTurns } from "./write-turns.ts";

/** What becomes of a request whose prefiller failed: the decoder prefills, or the request fails. */
export const prefillFallbacks = ["local", "fail"] as const;
export type PrefillFallback = (typeof prefillFallbacks)[number];

/** What every request is served with. */
export interface Sidecar {
  readonly connector: Connector;
  readonly prefillers: EngineClient;
  readonly decoders: EngineClient;
  readonly encoders: EngineClient;
  /** How encoders hand over their work; undefined where none is asked. */
  readonly encoderConnector: EncoderConnectorName | undefined;
  readonly allowedEncoders: Allowed;
  /** Prefillers that may be asked. */
  readonly allowed: Allowed;
  /** Returns one of the addresses that a request names; undefined where it names none. */
  readonly choosePrefiller: (addresses: readonly string[]) => string | undefined;
  readonly prefillFallback: PrefillFallback;
  readonly prefillMaxRetries: number;
  readonly prefillRetryBackoffMs: number;
  readonly prefillTimeoutMs: number;
  /** Room for the bodies of all requests. */
  readonly budget: BodyBudget;
  /** Turns in which all streams write. */
  readonly turns: WriteTurns;
  /** Address of the pod, by which a request knows its own engine; undefined where it is not known. */
  readonly podIp: string | undefined;
  readonly metrics: SidecarMetrics;
  /** Begins the spans of a request. Undefined where none are made. */
  readonly spansOf: ((request: IncomingMessage, api: string) => LegSpans) | undefined;
  readonly log: Log;
}
