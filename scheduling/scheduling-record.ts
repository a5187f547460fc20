import type { Endpoint } from "./endpoint.ts";
import type { PluginIdentity } from "./scheduling-observer.ts";

/** How the endpoints of one request were found, written down as it happens; it keeps what was made anyway. */
export interface SchedulingRecord {
  /** All endpoints, before any filter. */
  candidates: readonly Endpoint[];
  /** Profiles in the order in which they ran. */
  readonly profiles: ProfileRecord[];
  /** Undefined where no prefix cache is configured. */
  prefix: PrefixRecord | undefined;
}

export interface ProfileRecord {
  readonly name: string;
  /** Filters in the order in which they ran, with what each left. */
  readonly filters: Array<{
    readonly plugin: PluginIdentity;
    readonly left: readonly Endpoint[];
  }>;
  /** What the filters left. */
  scored: readonly Endpoint[];
  /** A number from 0 to 1 for each of `scored`. */
  readonly scorers: Array<{
    readonly plugin: PluginIdentity;
    readonly weight: number;
    readonly scores: ArrayLike<number>;
  }>;
  /** The first is where the request goes; empty where the filters left nothing. */
  picked: readonly Endpoint[];
}

/** Blocks of the prompt, and how many of them from its start each candidate has. */
export interface PrefixRecord {
  readonly blockTokens: number;
  readonly totalBlocks: number;
  readonly cachedBlocks: readonly number[];
}

export const newSchedulingRecord = (): SchedulingRecord => ({
  candidates: [],
  profiles: [],
  prefix: undefined,
});
