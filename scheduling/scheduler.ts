import type { AvoidedEdge, PodHealth } from "./edge-health.ts";
import type { Endpoint } from "./endpoint.ts";
import type { RequestHeaders } from "./request-headers.ts";
import type { SaturationDetector } from "./saturation.ts";
import type { PluginIdentity } from "./scheduling-observer.ts";
import type { SchedulingRecord } from "./scheduling-record.ts";
import type { ServerModels } from "./server-model/server-models.ts";

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

/** The endpoints that a request goes to. */
export interface Decision {
  /** In the order in which the proxy should try them; never empty. */
  readonly endpoints: readonly Endpoint[];
  /** Headers that the model server's sidecar reads, for example `x-prefiller-host-port`. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
  /** Total score by endpoint address, for `--emit-endpoint-scores` and the debug log. */
  readonly scores: ReadonlyMap<string, number>;
  /** Counts the request on its endpoints and remembers its prefix. Call it once, before the request is sent. */
  dispatch(): InFlightRequest;
}

/** The endpoints of a request whose body nobody read. */
export type UnreadDecision = Omit<Decision, "scores" | "dispatch">;

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

/** What an EndpointPickerConfig becomes. */
export interface Scheduler {
  /** Types of the parsers, in order. */
  readonly parsers: readonly string[];
  /** Says how full an endpoint is. */
  readonly detector: SaturationDetector;
  /** What is known of the pool's servers. */
  readonly servers: ServerModels;
  /**
   * How full the pool is: below 1 there is room (utilization and concurrency detectors). An empty pool is full.
   */
  saturation(endpoints: readonly Endpoint[], now: number): number;
  /** Whether one of some endpoints may answer: where requests are served in stages, one that decodes. */
  canAnswer(endpoints: readonly Endpoint[]): boolean;
  /**
   * Filters, scores and picks.
   * @param record where it is written down, also where it throws
   * @throws RequestError ResourceExhausted where filters leave nothing, ServiceUnavailable where none of
   *   `endpoints` decodes, PreconditionFailed for `Prefer: if-available` without a cache hit.
   */
  schedule(
    request: SchedulingRequest,
    endpoints: readonly Endpoint[],
    chance: Chance,
    record?: SchedulingRecord,
  ): Decision;
  /**
   * What a request's prompt costs on each endpoint, in tokens to compute: as a scorer weighs them, or those that are not cached.
   * 0 where nothing is known of caches.
   */
  promptCosts(
    request: SchedulingRequest,
    endpoints: readonly Endpoint[],
    now: number,
  ): ArrayLike<number>;
  /**
   * Chooses by the filters of the profile that answers users, and by chance: there is no prompt to score by. Nothing is
   * counted. Throws as `schedule` does.
   */
  scheduleUnread(
    headers: RequestHeaders,
    endpoints: readonly Endpoint[],
    chance: Chance,
  ): UnreadDecision;
  /** The endpoint's metrics were read: ends requests there that nobody watches, as many as they say. */
  settle(endpoint: Endpoint): void;
  /** Ends requests that nobody watches and that began before a time. */
  expire(before: number): void;
  /** Blocks that each configured prefix cache holds. */
  prefixIndexes(): ReadonlyArray<{ readonly plugin: PluginIdentity; readonly size: number }>;
  /** Pairs of a prefiller and a decoder that get no requests now, since prefills of theirs failed. */
  avoidedEdges(now: number): readonly AvoidedEdge[];
  /** How the pods' prefills go; of a pod that is left out nothing is known. */
  podHealth(endpoints: readonly Endpoint[], now: number): readonly PodHealth[];
  /** Forgets endpoints that are gone, and ends requests there that nobody watches. */
  retain(endpoints: readonly Endpoint[]): void;
}
