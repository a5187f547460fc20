import { limits } from "../limits.ts";
import { nextKey, rootKey, textKey } from "./block-key.ts";
import { BlockTable } from "./block-table.ts";
import { type BlockRemoved, type BlockStored, type KvEvent, type Tier, tiers } from "./kv-event.ts";

/** Kinds of layers for which a cached block is useful if all blocks before it are cached, whatever follows it. */
const wholePrefixKinds: ReadonlySet<string | undefined> = new Set([
  undefined,
  "full_attention",
  "mla_attention",
  "sink_full_attention",
]);

/** Maximum numbers of adapters and of kinds that are remembered per engine, and maximum length of their names. */
const mostAdapters = 1_024;
const mostKinds = 16;
const longestName = 256;

/** Number of blocks in the events of one engine that could not be used. */
export interface Unused {
  /** Blocks that follow an unknown block. */
  unresolved: number;
  /** Blocks of groups that do not keep whole prefixes, such as sliding windows. */
  otherGroups: number;
  /** Blocks whose size differs from the first one or exceeds the limit, or whose tokens do not fill them. */
  otherSizes: number;
}

/** A prompt with everything that the keys of its blocks depend on. */
export interface PromptTokens {
  readonly tokens: ArrayLike<number>;
  /** Empty for the base model. */
  readonly adapter: string;
  /** Empty if there is none. */
  readonly cacheSalt: string;
}

/**
 * The cached blocks of one engine, from its events alone. They are a set, not a count. If announcements were counted,
 * the blocks of an engine that announces reused blocks again would stay here forever. An engine that stores a block
 * twice and removes it once may still have the block. Some blocks of the engine may therefore be missing here, but no
 * block here was reported as removed.
 */
export class EngineBlocks {
  readonly #seed: number;
  readonly #table: BlockTable;
  readonly #adapters = new Set<string>();
  readonly #kinds = new Set<string>();
  readonly #unused: Unused = { unresolved: 0, otherGroups: 0, otherSizes: 0 };
  #blockSize: number | undefined;
  /** The group whose blocks are kept. Other groups of its kind have the same blocks. */
  #group: number | undefined;

  /** @param seed secret of this process, so that clients cannot construct prompts with equal keys */
  constructor(seed: number, capacity: number) {
    this.#seed = seed;
    this.#table = new BlockTable(capacity, seed);
  }

  get size(): number {
    return this.#table.size;
  }

  get bytes(): number {
    return this.#table.bytes;
  }

  set capacity(capacity: number) {
    if (this.#table.capacity !== capacity) this.#table.capacity = capacity;
  }

  /**
   * Tokens per block; undefined before the first block. It stays known after `clear`, because an engine that restarts
   * is known to have an empty cache.
   */
  get blockSize(): number | undefined {
    return this.#blockSize;
  }

  get unused(): Readonly<Unused> {
    return this.#unused;
  }

  /** Kinds of its layers whose blocks are not kept. */
  get otherKinds(): ReadonlySet<string> {
    return this.#kinds;
  }

  /** Whether the engine has stored blocks of an adapter. */
  knowsAdapter(name: string): boolean {
    return this.#adapters.has(name);
  }

  apply(event: KvEvent): void {
    if (event.type === "stored") this.#stored(event);
    else if (event.type === "removed") this.#removed(event);
    else this.#table.clear();
  }

  /** Removes all blocks and names, because the next events may be sent by another process. */
  clear(): void {
    this.#table.clear();
    this.#adapters.clear();
    this.#kinds.clear();
    this.#group = undefined;
  }

  /**
   * Returns the keys of a prompt's whole blocks that an engine can reuse. The engine always computes the last token, to
   * continue from there. Empty before the block size is known.
   */
  keysOf({ tokens, adapter, cacheSalt }: PromptTokens, maxBlocks: number): Float64Array {
    const size = this.#blockSize;
    if (size === undefined) return new Float64Array(0);
    const keys = new Float64Array(Math.min(maxBlocks, wholeBlocks(tokens.length, size)));
    let key = rootKey(this.#seed, adapter);
    for (let block = 0; block < keys.length; block += 1) {
      const extra = block === 0 && cacheSalt !== "" ? this.#extraKey([cacheSalt]) : 0;
      key = nextKey(key, tokens, block * size, (block + 1) * size, extra);
      keys[block] = key;
    }
    return keys;
  }

  /**
   * Returns how much of a prompt is cached, in blocks from its start. Each block counts with the weight of its best
   * tier.
   *
   * @param weights weight of each tier, in the order of `tiers`
   */
  run(keys: Float64Array, weights: readonly number[]): number {
    let run = 0;
    for (const key of keys) {
      const slot = this.#table.ofKey(key);
      if (slot === 0) break;
      run += weightOf(this.#table.tiers(slot), weights);
    }
    return run;
  }

  /**
   * Makes the blocks of a prompt the most recent ones. The first block is the most recent, so the start of a prompt is
   * evicted last.
   */
  touch(keys: Float64Array): void {
    for (let at = keys.length - 1; at >= 0; at -= 1) {
      const slot = this.#table.ofKey(keys[at] as number);
      if (slot !== 0) this.#table.touch(slot);
    }
  }

  #stored(event: BlockStored): void {
    const { group, hashes, tokens, blockSize } = event;
    if (!wholePrefixKinds.has(group.kind)) {
      remember(this.#kinds, group.kind as string, mostKinds);
      this.#unused.otherGroups += hashes.length;
      return;
    }
    this.#group ??= group.index;
    if (group.index !== this.#group) return;
    if (tokens.length === 0) {
      this.#moved(event);
      return;
    }
    if (this.#table.size === 0 && blockSize <= limits.cacheBlockTokens.value)
      this.#blockSize = blockSize;
    if (blockSize !== this.#blockSize || tokens.length !== blockSize * hashes.length)
      this.#unused.otherSizes += hashes.length;
    else this.#chain(event);
  }

  #chain({ hashes, parent, tokens, blockSize, adapter, extra, tier }: BlockStored): void {
    const bit = bitOf(tier);
    let key: number;
    if (parent === undefined) key = rootKey(this.#seed, adapter);
    else {
      const before = this.#table.ofHash(parent);
      if (before === 0) {
        this.#unused.unresolved += hashes.length;
        return;
      }
      key = this.#table.key(before);
    }
    if (adapter !== "") remember(this.#adapters, adapter, mostAdapters);
    for (let block = 0; block < hashes.length; block += 1) {
      const hash = hashes[block] as number;
      const start = block * blockSize;
      key = nextKey(key, tokens, start, start + blockSize, this.#extraKey(extra?.[block]));
      let slot = this.#table.ofHash(hash);
      if (slot !== 0 && this.#table.key(slot) !== key) {
        // The engine now uses this hash for another block.
        this.#table.delete(slot);
        slot = 0;
      }
      if (slot === 0) slot = this.#table.add(hash, key);
      if (slot !== 0) this.#table.setTiers(slot, this.#table.tiers(slot) | bit);
    }
  }

  /** Records that known blocks are in another tier, too. */
  #moved({ hashes, tier }: BlockStored): void {
    for (const hash of hashes) {
      const slot = this.#table.ofHash(hash);
      if (slot === 0) this.#unused.unresolved += 1;
      else this.#table.setTiers(slot, this.#table.tiers(slot) | bitOf(tier));
    }
  }

  #removed({ hashes, tier, groupIndex }: BlockRemoved): void {
    if (this.#group !== undefined && groupIndex !== this.#group) return;
    const kept = ~bitOf(tier);
    for (const hash of hashes) {
      const slot = this.#table.ofHash(hash);
      if (slot === 0) continue;
      const left = this.#table.tiers(slot) & kept;
      if (left === 0) this.#table.delete(slot);
      else this.#table.setTiers(slot, left);
    }
  }

  #extraKey(texts: readonly string[] | undefined): number {
    return texts === undefined || texts.length === 0 ? 0 : textKey(this.#seed, ...texts);
  }
}

/**
 * Names beyond the limit are not kept, because an engine may send any number. Such an adapter is known from the metrics
 * alone.
 */
function remember(names: Set<string>, name: string, most: number): void {
  if (names.size < most && name.length <= longestName) names.add(name);
}

/** Number of a prompt's blocks that an engine can reuse. */
export const wholeBlocks = (tokens: number, blockSize: number): number =>
  Math.max(0, Math.floor((tokens - 1) / blockSize));

const bitOf = (tier: Tier): number => 1 << tiers.indexOf(tier);

function weightOf(bits: number, weights: readonly number[]): number {
  let best = 0;
  for (let at = 0; at < weights.length; at += 1)
    if ((bits & (1 << at)) !== 0) best = Math.max(best, weights[at] as number);
  return best;
}
