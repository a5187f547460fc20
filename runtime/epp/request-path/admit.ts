import { RequestError } from "../../../scheduling/requests/request-error.ts";
import type { PendingRequest, RoutedRequest } from "./pending-request.ts";

/** Is notified of the outcome of a queued request, unless the request is cancelled. */
export interface Waiter {
  /** Called with the priority of the request before its admission. */
  prioritized?(priority: number): void;
  /** The request was dispatched. */
  routed(request: RoutedRequest): void;
  /** The request is refused, or was dispatched and is cut off for a more important one. */
  refused(error: unknown): void;
}

export interface WaitingRequest {
  /** Removes the request from its queue, for example because its client is gone. */
  cancel(): void;
}

/** Decides whether and when a request is dispatched. The only step of the request path in which requests compete. */
export interface AdmissionPolicy {
  /**
   * Whether requests may be queued. If so, their bodies are copied: a view would keep its whole network buffer alive.
   */
  readonly queues: boolean;
  /**
   * Dispatches or queues a request.
   * @throws RequestError ResourceExhausted for a request that is not admitted
   */
  admit(pending: PendingRequest, waiter: Waiter): RoutedRequest | WaitingRequest;
}

/** The waiter for an admission policy that does not queue. */
export const nobodyWaits: Waiter = { routed() {}, refused() {} };

/** Refuses requests of negative priority while the pool is full; all others pass (llm-d-router, legacy admission). */
export const shedSheddable: AdmissionPolicy = {
  queues: false,
  admit(pending) {
    if (pending.request.priority < 0 && pending.saturation() >= 1)
      throw new RequestError("ResourceExhausted", "system saturated, sheddable request dropped", {
        reason: "rejected-saturated",
      });
    return pending.dispatch();
  },
};
