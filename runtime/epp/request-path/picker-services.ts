import type { Scheduler } from "../../../scheduling/profiles/scheduler.ts";
import type { RequestHeaders } from "../../../scheduling/requests/request-headers.ts";
import type { UnparsedBodies } from "../../../sdk/spec/picker-requests.ts";
import type { Clock } from "../clock.ts";
import type { Datastore } from "../datastore/datastore.ts";
import type { DecisionRing } from "../decisions/decision-ring.ts";
import type { RequestTrace } from "../decisions/request-trace.ts";
import type { Observer } from "../observer.ts";
import type { BodyReading } from "../payload/parse.ts";
import type { Struct } from "../protocol/struct.ts";
import type { EngineFieldPolicy } from "./engine-fields.ts";

/** The parts of the process that handle a parsed request. */
export interface PickerServices {
  readonly datastore: Datastore;
  readonly scheduler: Scheduler;
  readonly observer: Observer;
  /** Default: decisions are not recorded. */
  readonly decisions?: DecisionRing;
  readonly clock: Clock;
  readonly options: PickerOptions;
}

export interface PickerOptions {
  readonly trustModelNameHeader: boolean;
  readonly modelRewriteHeader: boolean;
  /** Whether a request names its InferenceObjective in a header. Default true. */
  readonly objectiveHeader?: boolean;
  readonly emitEndpointScores: boolean;
  readonly subsetFilter: boolean;
  readonly conformanceHeaders: boolean;
  readonly engineFields: EngineFieldPolicy;
  /** Policy for bodies that no parser reads, on a pool with rules that they would bypass. Default: reject. */
  readonly unparsedBodies?: UnparsedBodies | undefined;
  /** Observe every response to its end, for exact counts and for metrics of responses. */
  readonly followResponses: boolean;
  /** Send the endpoint that served to clients that ask for it. */
  readonly servedEndpointHeader: boolean;
}

/** A request as the proxy sent it, with its whole body. */
export interface InboundRequest {
  readonly headers: RequestHeaders;
  readonly metadata: ReadonlyMap<string, Struct>;
  readonly body: Buffer;
  /** How the body is read, if the headers already decided that. */
  readonly reading?: BodyReading | undefined;
  /** Emits trace spans; undefined if tracing is off. */
  readonly trace?: RequestTrace | undefined;
}
