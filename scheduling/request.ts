import type { RequestHeaders } from "./request-headers.ts";

/** What the scheduler reads of a request's body. */
export interface PromptText {
  /**
   * Text by which prompts are alike, one entry per prompt: what the prefix cache hashes (strings are concatenated
   * without separators). Empty where the body has no prompt or was not parsed. A request with very many or very long
   * prompts has the first of them: `limits.prompts`, `limits.promptValues`.
   */
  readonly prompts: readonly string[];
  /** Estimated tokens of the parts of the prompts that `prompts` leaves out. */
  readonly tokensBeyond: number;
  /** `cache_salt` of the request; empty where absent. Requests with different salts share no cache. */
  readonly cacheSalt: string;
  /** Whether its messages have pictures, videos or sounds. Default: none. */
  readonly hasMedia?: boolean;
  /** The client asked for a stream. Default: it did not. */
  readonly streaming?: boolean;
}

/** A request as the scheduler sees it: parsed, rewritten, admitted. */
export interface SchedulingRequest {
  readonly id: string;
  readonly headers: RequestHeaders;
  readonly payload: PromptText;
  /** Tokens of each prompt as the model server counts them; undefined where nobody has told them. */
  readonly tokens?: ReadonlyArray<ArrayLike<number>> | undefined;
  /** Model that the server is asked for, after rewrites. */
  readonly targetModel: string;
  readonly priority: number;
  readonly fairnessId: string;
  /**
   * Whose request it is, as far as that is known: the namespace of the LLMService that registers the model and the
   * fairness id that a header names. Empty where nobody says. Requests of others learn nothing of its prompts.
   */
  readonly owner: string;
}

/** Time and chance of one scheduling, as values. */
export interface Chance {
  /** Milliseconds; compared with the times of metrics readings. */
  readonly now: number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/** Tokens of a request, as its model server counts them. */
export interface TokenUsage {
  /** Undefined where only those of the answer were counted. */
  readonly inputTokens: number | undefined;
  readonly outputTokens: number;
}

/** A request that was dispatched: counters and caches move with it. Every method may be called more than once. */
export interface InFlightRequest {
  /** For the response, for example the token of a session. */
  readonly responseHeaders: ReadonlyArray<readonly [name: string, value: string]>;
  /** The response's headers came: a sidecar says in them what came of a prefill elsewhere. */
  answered(headers: RequestHeaders, now: number): void;
  /**
   * The response's first bytes came.
   * @param isWrong they are not those of an answer: garbage, or an error that names the requested model as unknown
   */
  firstToken(now: number, isWrong?: boolean): void;
  /**
   * The response ended, or the stream did without one.
   * @param usage tokens of the request as the model server reports them
   * @param isEmpty the response is complete and has no body
   */
  end(now: number, usage?: TokenUsage, isEmpty?: boolean): void;
  /**
   * Nobody will see the response: the request ends when the metrics of its model servers say so. Returns false where
   * they do not, and then the response has to be watched.
   *
   * @param completed called when the request has ended
   */
  unwatch(now: number, completed: () => void): boolean;
}
