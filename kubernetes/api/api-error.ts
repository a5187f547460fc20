import { longestRefusal, longestRetryAfter } from "./answer-limits.ts";

/** What the API server answered in place of what was asked for. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** HTTP status code. */
  readonly status: number;
  /** Kubernetes reason, for example `AlreadyExists`; empty where the answer has none. */
  readonly reason: string;
  /** When the server asks to come back, in milliseconds from its answer. */
  readonly retryAfter: number | undefined;

  constructor(request: string, { status, reason, message, retryAfter }: Refusal) {
    const said = `${status}${reason === "" ? "" : ` ${reason}`}: ${message}`;
    super(`${request}: ${said.slice(0, longestRefusal)}`);
    this.status = status;
    this.reason = reason.slice(0, longestRefusal);
    this.retryAfter = retryAfter;
  }
}

interface Refusal {
  readonly status: number;
  readonly reason: string;
  readonly message: string;
  readonly retryAfter: number | undefined;
}

/** Longest part of a body that is no Status (a proxy's page, say) in a message. */
const longestExcerpt = 300;

/** The error of an answer that is not 2xx. */
export function apiErrorOf(
  request: string,
  status: number,
  body: string,
  retryAfterHeader: string | undefined,
): ApiError {
  const answer = statusIn(body);
  return new ApiError(request, {
    status,
    reason: String(answer?.reason ?? ""),
    message:
      String(answer?.message ?? "") || body.trim().slice(0, longestExcerpt) || "without a body",
    retryAfter: secondsOf(retryAfterHeader) ?? secondsOf(answer?.details?.retryAfterSeconds),
  });
}

/** The error of an event of type ERROR, whose object is a Status. */
export function apiErrorOfEvent(request: string, object: unknown): ApiError {
  const { code, reason, message, details } = (object ?? {}) as Status;
  return new ApiError(request, {
    status: Number(code ?? 500),
    reason: String(reason ?? ""),
    message: String(message ?? "the watch ended with an error"),
    retryAfter: secondsOf(details?.retryAfterSeconds),
  });
}

interface Status {
  readonly kind?: string;
  readonly code?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: { readonly retryAfterSeconds?: number };
}

function statusIn(body: string): Status | undefined {
  try {
    const answer = JSON.parse(body) as Status | null;
    return answer?.kind === "Status" ? answer : undefined;
  } catch {
    return undefined;
  }
}

/** The API server sends seconds, never a date. */
function secondsOf(value: string | number | undefined): number | undefined {
  const seconds = Number(value || Number.NaN);
  if (!Number.isFinite(seconds) || seconds < 0) return undefined;
  return Math.min(seconds * 1000, longestRetryAfter);
}
