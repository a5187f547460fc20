import { type DropReason, type RefusalCode, RequestError } from "../request-error.ts";

/** What the client of a request is told that does not go to a model server. */
interface RefusalFact {
  readonly code: RefusalCode;
  /** Value of header `x-llm-d-request-dropped-reason`. */
  readonly reason: DropReason;
  readonly message: string;
  /** The client may come back: the answer has `Retry-After`. */
  readonly mayRetry: boolean;
  /** One line for the documentation. */
  readonly when: string;
}

/**
 * Every way in which a request does not go to a model server, by the name that upstream's metrics have for it
 * (llm-d-router, flowcontrol/types/outcomes.go, requestcontrol/admission.go).
 */
export const outcomes = {
  RejectedCapacity: {
    code: "ResourceExhausted",
    reason: "rejected-saturated",
    message: "the queue is full",
    mayRetry: true,
    when: "The limit of the band or of all queues together is reached at arrival.",
  },
  RejectedNoEndpoints: {
    code: "ServiceUnavailable",
    reason: "rejected-no-endpoints",
    message: "the queue is full and no endpoints are available",
    mayRetry: false,
    when: "The same, while the pool is empty.",
  },
  EvictedTTL: {
    code: "ResourceExhausted",
    reason: "rejected-ttl-expired",
    message: "the request timed out in the queue",
    mayRetry: true,
    when: "The request has waited for its time to live.",
  },
  EvictedNoEndpoints: {
    code: "ServiceUnavailable",
    reason: "rejected-no-endpoints",
    message: "the request timed out in the queue and no endpoints are available",
    mayRetry: false,
    when: "The same, while the pool is empty.",
  },
  EvictedContextCancelled: {
    code: "ServiceUnavailable",
    reason: "rejected-context-cancelled",
    message: "the client is gone",
    mayRetry: false,
    when: "The client disconnected while the request was queued.",
  },
  RejectedOther: {
    code: "ServiceUnavailable",
    reason: "rejected-shutting-down",
    message: "the picker is shutting down",
    mayRetry: false,
    when: "The picker is shutting down at arrival.",
  },
  EvictedOther: {
    code: "ServiceUnavailable",
    reason: "rejected-shutting-down",
    message: "the picker is shutting down",
    mayRetry: false,
    when: "The picker is shutting down while the request is queued.",
  },
} as const satisfies Record<string, RefusalFact>;

/** A request that does not go to a model server. */
export interface Refusal {
  readonly outcome: keyof typeof outcomes;
  /** Whole seconds after which a place is likely to be free; undefined where coming back does not help. */
  readonly retryAfter: number | undefined;
}

/** A response that was cut off, for the room that it took: what its client is told where it is not too late for it. */
export const evictionError = (): RequestError =>
  new RequestError("ResourceExhausted", "request evicted by flow control", { reason: "evicted" });

/** A refusal as the client is told it. */
export function refusalError({ outcome, retryAfter }: Refusal): RequestError {
  const { code, message, reason } = outcomes[outcome];
  return new RequestError(code, message, { reason, retryAfter });
}
