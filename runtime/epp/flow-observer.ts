import type { FlowKey } from "../../scheduling/flow-control/flow-request.ts";
import type { outcomes } from "../../scheduling/flow-control/outcomes.ts";
import type { RequestLabels } from "./observer.ts";

/** What became of a request in flow control. */
export type FlowOutcome = "Dispatched" | keyof typeof outcomes;

/** A request in flow control, for metrics. */
export interface ObservedRequest {
  readonly labels: RequestLabels;
  readonly flow: FlowKey;
  readonly bytes: number;
}

/** What flow control tells about itself. */
export interface FlowObserver {
  /** A request begins to wait. */
  waits(request: ObservedRequest): void;
  /** A request that waited does not any more. */
  waitsNoMore(request: ObservedRequest): void;
  /** It is known what becomes of a request, that many seconds after it came. */
  decided(request: ObservedRequest, outcome: FlowOutcome, seconds: number): void;
  /** A request was dispatched at once, since nothing stood in front of it: nothing else is told of it. That took so long. */
  passed(seconds: number, request: ObservedRequest): void;
  /** To queue a request took so long; where it does not wait, to dispatch it. */
  arrived(seconds: number, request: ObservedRequest, waits: boolean): void;
  /** One look at all that waits took so long. */
  turned(seconds: number): void;
}
