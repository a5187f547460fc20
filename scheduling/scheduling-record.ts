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
  profile: RecordedProfile;
  /** What each filter that ran left. */
  readonly left: Array<readonly Endpoint[]>;
  /** For each scorer a number from 0 to 1 for each endpoint that the filters left. */
  readonly scores: Array<ArrayLike<number>>;
  /** The first is where the request goes; empty where the filters left nothing. */
  picked: readonly Endpoint[];
}

/** A profile that ran, with its filters and scorers in the order in which they do. */
interface RecordedProfile {
  readonly name: string;
  readonly filters: ReadonlyArray<{ readonly plugin: PluginIdentity }>;
  readonly scorers: ReadonlyArray<{ readonly plugin: PluginIdentity; readonly weight: number }>;
}

/** Blocks of the prompt, and how many of them from its start each candidate has. */
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
