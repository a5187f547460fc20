/**
 * A refusal: answered to the client as an ImmediateResponse, at one place (the exchange). Steps throw it.
 * Codes and statuses are those of the upstream picker (llm-d-router, pkg/common/error).
 */
export const refusals = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  PreconditionFailed: 412,
  PayloadTooLarge: 413,
  ResourceExhausted: 429,
  Internal: 500,
  ServiceUnavailable: 503,
} as const;

export type RefusalCode = keyof typeof refusals;

/** Why a request was dropped, told in header `x-llm-d-request-dropped-reason`. */
export type DropReason =
  | "rejected-saturated"
  | "rejected-no-endpoints"
  | "rejected-shutting-down"
  | "rejected-context-cancelled";

export class RequestError extends Error {
  readonly code: RefusalCode;
  readonly reason: DropReason | undefined;

  constructor(
    code: RefusalCode,
    message: string,
    options: { reason?: DropReason; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "RequestError";
    this.code = code;
    this.reason = options.reason;
  }

  get status(): number {
    return refusals[this.code];
  }

  /** The body that clients see: `inference error: <Code> - <message>`. */
  get body(): string {
    return `inference error: ${this.code} - ${this.message}`;
  }
}
