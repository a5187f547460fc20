/**
 * A refusal. Steps throw it, and the exchange alone sends it to the client, as an ImmediateResponse. Codes and statuses
 * are taken from the upstream picker (llm-d-router, pkg/common/error).
 */
export const refusals = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  RequestTimeout: 408,
  PreconditionFailed: 412,
  PayloadTooLarge: 413,
  UnsupportedMediaType: 415,
  ResourceExhausted: 429,
  Internal: 500,
  ServiceUnavailable: 503,
} as const;

export type RefusalCode = keyof typeof refusals;

/** Reason for dropping a request, sent in header `x-llm-d-request-dropped-reason`. */
export type DropReason =
  | "rejected-saturated"
  | "rejected-no-endpoints"
  | "rejected-no-room-for-body"
  | "rejected-shutting-down"
  | "rejected-context-cancelled"
  | "rejected-ttl-expired"
  | "evicted";

/** Error codes of the OpenAI API, for refusals that its clients recognize. */
export type ApiCode =
  | "model_not_found"
  | "request_too_large"
  | "previous_response_not_found"
  | "response_not_found"
  | "conversation_not_found";

/** The request member that an error refers to. */
const paramOf: Partial<Record<ApiCode, string>> = {
  model_not_found: "model",
  previous_response_not_found: "previous_response_id",
};

export interface RequestErrorOptions {
  readonly reason?: DropReason;
  readonly apiCode?: ApiCode;
  /** Whole seconds of `Retry-After`; undefined if unknown. */
  readonly retryAfter?: number | undefined;
  readonly cause?: unknown;
}

export class RequestError extends Error {
  readonly code: RefusalCode;
  readonly reason: DropReason | undefined;
  /** Error code in the OpenAI API's JSON format. If undefined, the body is plain text. */
  readonly apiCode: ApiCode | undefined;
  readonly retryAfter: number | undefined;

  constructor(code: RefusalCode, message: string, options: RequestErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "RequestError";
    this.code = code;
    this.reason = options.reason;
    this.apiCode = options.apiCode;
    this.retryAfter = options.retryAfter;
  }

  get status(): number {
    return refusals[this.code];
  }

  /** Body of the response: `inference error: <Code> - <message>`, or an error of the OpenAI API. */
  get body(): string {
    const { message, apiCode: code } = this;
    if (code !== undefined) {
      const param = paramOf[code] ?? null;
      return JSON.stringify({ error: { message, type: "invalid_request_error", param, code } });
    }
    return `inference error: ${this.code} - ${this.message}`;
  }

  /** Undefined if the proxy's default, plain text, is correct. */
  get contentType(): string | undefined {
    return this.apiCode === undefined ? undefined : "application/json";
  }
}
