import type { Endpoint } from "../endpoints/endpoint.ts";
import type { PluginIdentity } from "../scheduling-observer.ts";
import type { Scorer } from "./plugin.ts";

/**
 * Record of how the endpoints of one request were selected. It holds references to data that scheduling creates anyway.
 */
export interface SchedulingRecord {
  /** All endpoints, before any filter. */
  candidates: readonly Endpoint[];
  /** Profiles in the order in which they ran. */
  readonly profiles: ProfileRecord[];
  /** Undefined if no prefix cache is configured. */
  prefix: PrefixRecord | undefined;
}

export interface ProfileRecord {
  profile: RecordedProfile;
  /** Endpoints that passed each filter that ran. */
  readonly left: Array<readonly Endpoint[]>;
  /** For each scorer, a number from 0 to 1 per endpoint that passed the filters. */
  readonly scores: Array<ArrayLike<number>>;
  /**
   * For each scorer, the numbers of its `parts` for each of these endpoints, NaN for endpoints that are down. Undefined
   * if the scorer has no parts, or if the endpoints are more than `limits.explainedEndpoints`.
   */
  readonly parts: Array<readonly number[] | undefined>;
  /** Selected endpoints; the first one receives the request. Empty if no endpoint passed the filters. */
  picked: readonly Endpoint[];
}

/** A profile that ran, with its filters and scorers in order of execution. */
interface RecordedProfile {
  readonly name: string;
  readonly filters: ReadonlyArray<{ readonly plugin: PluginIdentity }>;
  readonly scorers: ReadonlyArray<{
    readonly scorer: Pick<Scorer, "parts">;
    readonly plugin: PluginIdentity;
    readonly weight: number;
  }>;
}

/** Number of blocks of the prompt, and number of leading blocks that each candidate has cached. */
export interface PrefixRecord {
  readonly blockTokens: number;
  readonly totalBlocks: number;
  readonly cachedBlocks: ArrayLike<number>;
}

export const newSchedulingRecord = (): SchedulingRecord => ({
  candidates: [],
  profiles: [],
  prefix: undefined,
});
