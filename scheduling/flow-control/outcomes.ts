import { type DropReason, type RefusalCode, RequestError } from "../requests/request-error.ts";

/** Response to the client of a request that is not sent to a model server. */
interface RefusalFact {
  readonly code: RefusalCode;
  /** Value of header `x-llm-d-request-dropped-reason`. */
  readonly reason: DropReason;
  readonly message: string;
  /** Whether the client may retry: the response then has `Retry-After`. */
  readonly mayRetry: boolean;
  /** One line for the documentation. */
  readonly when: string;
}

/**
 * Every reason why a request is not sent to a model server, by its name in upstream's metrics (llm-d-router,
 * flowcontrol/types/outcomes.go, requestcontrol/admission.go).
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
    when: "The limit of the band or of all queues together is reached at arrival, and the pool is empty.",
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
    when: "The request has waited for its time to live, and the pool is empty.",
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

/** A request that is not sent to a model server. */
export interface Refusal {
  readonly outcome: keyof typeof outcomes;
  /** Whole seconds after which a slot is likely to be free; undefined if a retry does not help. */
  readonly retryAfter: number | undefined;
}

/** Returns the error for the client of an evicted request, if its response has not begun. */
export const evictionError = (): RequestError =>
  new RequestError("ResourceExhausted", "request evicted by flow control", { reason: "evicted" });

/** Returns the error that the client of a refused request receives. */
export function refusalError({ outcome, retryAfter }: Refusal): RequestError {
  const { code, message, reason } = outcomes[outcome];
  return new RequestError(code, message, { reason, retryAfter });
}
