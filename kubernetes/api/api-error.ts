import { longestRefusal, longestRetryAfterMs } from "./answer-limits.ts";

/** Error response of an API server. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** HTTP status code. */
  readonly status: number;
  /** Kubernetes reason, for example `AlreadyExists`; empty if the response has none. */
  readonly reason: string;
  /** Only the server's message: from its Status, otherwise the beginning of the body. */
  readonly detail: string;
  /** Whether the response was a Status, and not, for example, a proxy's page. */
  readonly isStatus: boolean;
  /** Problems by field, if the response contains them. */
  readonly causes: readonly StatusCause[];
  /** Time after which the server asks to retry, in ms from its response. */
  readonly retryAfterMs: number | undefined;

  constructor(request: string, refusal: Refusal) {
    const { status, reason, message, isStatus = true, causes = [], retryAfterMs } = refusal;
    const text = `${status}${reason === "" ? "" : ` ${reason}`}: ${message}`;
    super(`${request}: ${text.slice(0, longestRefusal)}`);
    this.status = status;
    this.reason = reason.slice(0, longestRefusal);
    this.detail = message;
    this.isStatus = isStatus;
    this.causes = causes;
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * No response of an API server arrived: there was no connection, a timeout, or a response that is not from an API
 * server.
 */
export class NoAnswerError extends Error {
  override readonly name = "NoAnswerError";
  /** Reason, without the request. */
  readonly detail: string;
  /** Whether the request may have arrived. */
  readonly sent: boolean;

  constructor(request: string, detail: string, sent: boolean, cause: unknown) {
    super(`${request}: ${detail}`, { cause });
    this.detail = detail;
    this.sent = sent;
  }
}

/** One problem of an object in a request. */
export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

interface Refusal {
  readonly status: number;
  readonly reason: string;
  readonly message: string;
  /** Default true. */
  readonly isStatus?: boolean;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterMs: number | undefined;
}

export const isNotFound = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.status === 404;

/** Returns the response of a request; undefined if the object does not exist. */
export async function unlessAbsent<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Maximum length in messages of a body that is not a Status, such as a proxy's page. */
const longestExcerpt = 300;

/** Returns the error for a response that is not 2xx. */
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
    isStatus: answer !== undefined,
    causes: answer?.details?.causes ?? [],
    retryAfterMs: secondsOf(retryAfterHeader) ?? secondsOf(answer?.details?.retryAfterSeconds),
  });
}

/** Returns the error for an event of type ERROR, whose object is a Status. */
export function apiErrorOfEvent(request: string, object: unknown): ApiError {
  const { code, reason, message, details } = (object ?? {}) as Status;
  return new ApiError(request, {
    status: Number(code ?? 500),
    reason: String(reason ?? ""),
    message: String(message ?? "the watch ended with an error"),
    isStatus: true,
    causes: details?.causes ?? [],
    retryAfterMs: secondsOf(details?.retryAfterSeconds),
  });
}

interface Status {
  readonly kind?: string;
  readonly code?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: {
    readonly retryAfterSeconds?: number;
    readonly causes?: readonly StatusCause[];
  };
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
  return Math.min(seconds * 1000, longestRetryAfterMs);
}
