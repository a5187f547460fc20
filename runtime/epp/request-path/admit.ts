import { RequestError } from "../../../scheduling/request-error.ts";
import type { PendingRequest, RoutedRequest } from "./pending-request.ts";

/** Hears what becomes of a request that waits, unless it is taken back. */
export interface Waiter {
  /** Hears the priority of the request, before it is let in. */
  prioritized?(priority: number): void;
  /** The request has its endpoint. */
  routed(request: RoutedRequest): void;
  /** The request is refused; or, after it was routed, cut off for one that is more important. */
  refused(error: unknown): void;
}

/** A request that waits to be let in. */
export interface WaitingRequest {
  /** Takes the request back: nobody waits for it any more. */
  cancel(): void;
}

/** Who is let in, and when. The one step of the request path where requests compete. */
export interface AdmissionPolicy {
  /** Requests may wait: what is kept of them must not keep more alive than it is. */
  readonly queues: boolean;
  /**
   * Dispatches a request, or lets it wait.
   * @throws RequestError ResourceExhausted for a request that is not let in
   */
  admit(pending: PendingRequest, waiter: Waiter): RoutedRequest | WaitingRequest;
}

/** The waiter of a request that admission does not let wait. */
export const nobodyWaits: Waiter = { routed() {}, refused() {} };

/** Sheds requests of negative priority while the pool is full; others always pass (llm-d-router, legacy admission). */
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
