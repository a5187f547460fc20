import type { Endpoint, LiveState } from "../endpoint.ts";
import { limits } from "../limits.ts";
import { EngineBlocks } from "./engine-blocks.ts";
import { EventStream, type StreamState } from "./event-stream.ts";

export interface KvIndexOptions {
  /** Chosen by this process, so that nobody outside can make prompts whose keys are alike. */
  readonly seed: number;
  /** Engines can be asked for what they published before. */
  readonly replays: boolean;
  /** Ranks behind each endpoint, each with a cache and events of its own. Default 1. */
  readonly ranks?: number;
}

/** What every engine of a pool says of its KV cache. */
export class KvIndex {
  readonly #options: KvIndexOptions;
  /** By live state: a pod that was made anew has another one, and an empty cache. */
  readonly #engines = new Map<LiveState, Ranks>();
  /** Blocks of each engine, so that all together have no more than the limit. */
  #share: number = limits.cacheBlocks.value;

  constructor(options: KvIndexOptions) {
    this.#options = options;
  }

  /** Blocks of all engines. */
  get size(): number {
    let size = 0;
    for (const { blocks } of this.#engines.values()) for (const each of blocks) size += each.size;
    return size;
  }

  /** Whether any engine is heard, be its cache empty. */
  get isSubscribed(): boolean {
    for (const ranks of this.#engines.values()) if (areSubscribed(ranks)) return true;
    return false;
  }

  /** Ranks behind each endpoint. */
  get ranks(): number {
    return this.#options.ranks ?? 1;
  }

  /** The streams of the events of an endpoint's ranks, which are made where there are none yet. */
  streams({ live }: Pick<Endpoint, "live">): readonly EventStream[] {
    const known = this.#engines.get(live);
    if (known !== undefined) return known.streams;
    const { seed, replays } = this.#options;
    const streams = Array.from(
      { length: this.ranks },
      () => new EventStream(new EngineBlocks(seed, this.#ofRank), replays),
    );
    this.#engines.set(live, { streams, blocks: streams.map(({ blocks }) => blocks) });
    return streams;
  }

  /** Whether the blocks of an endpoint may be believed: those of all of its ranks. */
  state(endpoint: Pick<Endpoint, "live">): StreamState {
    const states = this.streams(endpoint).map(({ state }) => state);
    return (["down", "replaying"] as const).find((each) => states.includes(each)) ?? "live";
  }

  /**
   * The blocks of each rank of an endpoint's engine; undefined where the events of one are not heard, or none of any came
   * yet.
   */
  blocks({ live }: Pick<Endpoint, "live">): readonly EngineBlocks[] | undefined {
    const ranks = this.#engines.get(live);
    return ranks !== undefined && areSubscribed(ranks) ? ranks.blocks : undefined;
  }

  /** Blocks of each rank of an engine. */
  get #ofRank(): number {
    return Math.ceil(this.#share / this.ranks);
  }

  retain(endpoints: readonly Endpoint[]): void {
    const ofEach = Math.ceil(limits.cacheBlocksOfPool.value / Math.max(1, endpoints.length));
    this.#share = Math.min(limits.cacheBlocks.value, ofEach);
    const kept = new Set(endpoints.map(({ live }) => live));
    for (const [live, { blocks }] of this.#engines) {
      if (kept.has(live)) for (const each of blocks) each.capacity = this.#ofRank;
      else this.#engines.delete(live);
    }
  }
}

/** What the ranks of one engine say. */
interface Ranks {
  readonly streams: readonly EventStream[];
  /** Those of the streams. */
  readonly blocks: readonly EngineBlocks[];
}

function areSubscribed({ streams }: Ranks): boolean {
  let isKnown = false;
  for (const { state, blocks } of streams) {
    if (state !== "live") return false;
    isKnown ||= blocks.blockSize !== undefined;
  }
  return isKnown;
}
