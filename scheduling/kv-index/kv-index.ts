import type { Endpoint, LiveState } from "../endpoints/endpoint.ts";
import { limits } from "../limits.ts";
import { EngineBlocks } from "./engine-blocks.ts";
import { EventStream, type StreamState } from "./event-stream.ts";

export interface KvIndexOptions {
  /** Secret of this process, so that clients cannot construct prompts with equal keys. */
  readonly seed: number;
  /** The engines support replays of earlier messages. */
  readonly replays: boolean;
  /** Ranks behind each endpoint. Each rank has its own cache and events. Default 1. */
  readonly ranks?: number;
}

/** Index of the KV cache contents of all engines of a pool, from their events. */
export class KvIndex {
  readonly #options: KvIndexOptions;
  /** By live state: a recreated pod has a new one, and an empty cache. */
  readonly #engines = new Map<LiveState, Ranks>();
  /** Maximum number of blocks per engine, so that all engines together stay within the limit. */
  #share: number = limits.cacheBlocks.value;

  constructor(options: KvIndexOptions) {
    this.#options = options;
  }

  /** Number of blocks of all engines. */
  get size(): number {
    let size = 0;
    for (const { blocks } of this.#engines.values()) for (const each of blocks) size += each.size;
    return size;
  }

  /** Whether the events of at least one engine are received, even if its cache is empty. */
  get isSubscribed(): boolean {
    for (const ranks of this.#engines.values()) if (areSubscribed(ranks)) return true;
    return false;
  }

  get ranks(): number {
    return this.#options.ranks ?? 1;
  }

  /** Returns the event streams of an endpoint's ranks, and creates them if necessary. */
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

  /** Whether the blocks of an endpoint can be trusted: the worst state of its ranks. */
  state(endpoint: Pick<Endpoint, "live">): StreamState {
    const states = this.streams(endpoint).map(({ state }) => state);
    return (["down", "replaying"] as const).find((each) => states.includes(each)) ?? "live";
  }

  /**
   * Returns the blocks of each rank of an endpoint; undefined if the events of a rank are not received, or no rank has
   * reported a block yet.
   */
  blocks({ live }: Pick<Endpoint, "live">): readonly EngineBlocks[] | undefined {
    const ranks = this.#engines.get(live);
    return ranks !== undefined && areSubscribed(ranks) ? ranks.blocks : undefined;
  }

  /** Maximum number of blocks per rank. */
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

/** Event streams of the ranks of one engine, and their blocks. */
interface Ranks {
  readonly streams: readonly EventStream[];
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
