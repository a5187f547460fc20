import type { Endpoint } from "./endpoint.ts";
import type { ExcludedPair, PodHealth } from "./pair-health.ts";
import type { Chance, InFlightRequest, SchedulingRequest } from "./request.ts";
import type { RequestHeaders } from "./request-headers.ts";
import type { SaturationDetector } from "./saturation.ts";
import type { PluginIdentity } from "./scheduling-observer.ts";
import type { SchedulingRecord } from "./scheduling-record.ts";
import type { ServerModels } from "./server-model/server-models.ts";

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
  excludedPairs(now: number): readonly ExcludedPair[];
  /** How the pods' prefills go; of a pod that is left out nothing is known. */
  podHealth(endpoints: readonly Endpoint[], now: number): readonly PodHealth[];
  /** Forgets endpoints that are gone, and ends requests there that nobody watches. */
  retain(endpoints: readonly Endpoint[]): void;
}
