import type { Endpoint, LiveState } from "../endpoint.ts";
import { limits } from "../limits.ts";
import { EngineBlocks } from "./engine-blocks.ts";
import { EventStream } from "./event-stream.ts";

export interface KvIndexOptions {
  /** Chosen by this process, so that nobody outside can make prompts whose keys are alike. */
  readonly seed: number;
  /** Engines can be asked for what they published before. */
  readonly replays: boolean;
}

/** What every engine of a pool says of its KV cache. */
export class KvIndex {
  readonly #options: KvIndexOptions;
  /** By live state: a pod that was made anew has another one, and an empty cache. */
  readonly #streams = new Map<LiveState, EventStream>();
  /** Blocks of each engine, so that all together have no more than the limit. */
  #share: number = limits.cacheBlocks.value;

  constructor(options: KvIndexOptions) {
    this.#options = options;
  }

  /** Blocks of all engines. */
  get size(): number {
    let size = 0;
    for (const { blocks } of this.#streams.values()) size += blocks.size;
    return size;
  }

  /** Whether any engine is heard, be its cache empty. */
  get isHeard(): boolean {
    for (const stream of this.#streams.values()) if (blocksHeard(stream)) return true;
    return false;
  }

  /** The stream of an endpoint's events, which is made where there is none yet. */
  stream({ live }: Pick<Endpoint, "live">): EventStream {
    const known = this.#streams.get(live);
    if (known !== undefined) return known;
    const { seed, replays } = this.#options;
    const stream = new EventStream(new EngineBlocks(seed, this.#share), replays);
    this.#streams.set(live, stream);
    return stream;
  }

  /** The blocks of an endpoint's engine; undefined where its events are not heard, or none came yet. */
  blocks({ live }: Pick<Endpoint, "live">): EngineBlocks | undefined {
    const stream = this.#streams.get(live);
    return stream && blocksHeard(stream);
  }

  retain(endpoints: readonly Endpoint[]): void {
    const ofEach = Math.ceil(limits.cacheBlocksOfPool.value / Math.max(1, endpoints.length));
    this.#share = Math.min(limits.cacheBlocks.value, ofEach);
    const kept = new Set(endpoints.map(({ live }) => live));
    for (const [live, { blocks }] of this.#streams) {
      if (kept.has(live)) blocks.capacity = this.#share;
      else this.#streams.delete(live);
    }
  }
}

const blocksHeard = ({ state, blocks }: EventStream): EngineBlocks | undefined =>
  state === "live" && blocks.blockSize !== undefined ? blocks : undefined;
