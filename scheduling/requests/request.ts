import type { RequestHeaders } from "./request-headers.ts";

/** The parts of a request's body that the scheduler reads. */
export interface PromptText {
  /**
   * Texts that the prefix cache hashes, one per prompt (the strings of a prompt are concatenated without separators).
   * Empty if the body has no prompt or was not parsed. If a request exceeds `limits.prompts` or `limits.promptValues`,
   * only the first prompts.
   */
  readonly prompts: readonly string[];
  /** Estimated tokens of the parts of the prompts that `prompts` leaves out. */
  readonly tokensBeyond: number;
  /** `cache_salt` of the request; empty if absent. Requests with different salts share no cache. */
  readonly cacheSalt: string;
  /** Whether the messages contain images, videos or audio. Default false. */
  readonly hasMedia?: boolean;
  /** Whether the client requested a stream. Default false. */
  readonly streaming?: boolean;
}

/** A parsed, rewritten and admitted request. */
export interface SchedulingRequest {
  readonly id: string;
  readonly headers: RequestHeaders;
  readonly payload: PromptText;
  /** Tokens of each prompt as the model server counts them; undefined if unknown. */
  readonly tokens?: ReadonlyArray<ArrayLike<number>> | undefined;
  /** Model to request from the server, after rewrites. */
  readonly targetModel: string;
  readonly priority: number;
  readonly fairnessId: string;
  /**
   * Owner of the request, if known: the namespace of the LLMService that registers the model, and the fairness id in a
   * header. Empty if unknown. Requests of other owners learn nothing about its prompts.
   */
  readonly owner: string;
}

/** Time and randomness of one scheduling cycle, as values. */
export interface Chance {
  /** Time in ms, on the same clock as the metrics readings. */
  readonly now: number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/** Tokens of a request, as its model server counts them. */
export interface TokenUsage {
  /** Undefined if the server counted only the response. */
  readonly inputTokens: number | undefined;
  readonly outputTokens: number;
}

/** A dispatched request, which updates counters and caches. Every method may be called more than once. */
export interface InFlightRequest {
  /** Headers for the response, for example a session token. */
  readonly responseHeaders: ReadonlyArray<readonly [name: string, value: string]>;
  /**
   * Called when the response headers arrive. In them, a sidecar reports the result of a prefill on another endpoint.
   */
  answered(headers: RequestHeaders, now: number): void;
  /**
   * Called when the first bytes of the response arrive.
   * @param isWrong the bytes are garbage, or an error that names the requested model as unknown
   */
  firstToken(now: number, isWrong?: boolean): void;
  /**
   * Called when the response ends, or the stream ends without a response.
   * @param usage tokens of the request as the model server reports them
   * @param isEmpty the response is complete and has no body
   */
  end(now: number, usage?: TokenUsage, isEmpty?: boolean): void;
  /**
   * Stops observing the response: the request then ends when the metrics of its model servers show its end. Returns
   * false if they cannot show it, so that the response must be observed.
   *
   * @param completed called when the request has ended
   */
  unobserve(now: number, completed: () => void): boolean;
}
