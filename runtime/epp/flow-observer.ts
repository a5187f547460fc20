import type { FlowKey } from "../../scheduling/flow-control/flow-request.ts";
import type { outcomes } from "../../scheduling/flow-control/outcomes.ts";
import type { RequestLabels } from "./observer.ts";

/** Result of a request in flow control. */
export type FlowOutcome = "Dispatched" | keyof typeof outcomes;

/** A request in flow control, for metrics. */
export interface ObservedRequest {
  readonly labels: RequestLabels;
  readonly flow: FlowKey;
  readonly bytes: number;
}

/** Receives the events of flow control. */
export interface FlowObserver {
  /** A request starts to wait. */
  waits(request: ObservedRequest): void;
  /** A request stopped waiting. */
  waitsNoMore(request: ObservedRequest): void;
  /** The result of a request is known, `seconds` after its arrival. */
  decided(request: ObservedRequest, outcome: FlowOutcome, seconds: number): void;
  /**
   * A request was dispatched immediately, because no request was ahead of it. The dispatch took `seconds`. No other
   * method is called for it.
   */
  passed(seconds: number, request: ObservedRequest): void;
  /** Queueing a request took `seconds`, including its dispatch if it does not wait. */
  arrived(seconds: number, request: ObservedRequest, waits: boolean): void;
  /** One pass over all waiting requests took `seconds`. */
  turned(seconds: number): void;
}
