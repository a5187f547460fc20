/**
 * What a model server says of its KV cache, as vLLM publishes it (`vllm/distributed/kv_events.py`), whatever the form on
 * the wire. Hashes of blocks are numbers of 53 bits: the low bits of what the engine calls the block.
 */
export type KvEvent = BlockStored | BlockRemoved | BlocksCleared;

/** Blocks of one sequence, one after the other. */
export interface BlockStored {
  readonly type: "stored";
  readonly hashes: readonly number[];
  /** The block before the first; undefined where the sequence begins with it. */
  readonly parent: number | undefined;
  /** Those of all blocks, one block after the other. Empty where blocks that are known moved to another tier. */
  readonly tokens: readonly number[];
  /** Tokens of a block. */
  readonly blockSize: number;
  /** Name of the adapter; empty for the base model. */
  readonly adapter: string;
  /**
   * For each block what its hash has beside tokens: a cache salt, digests of images; without the adapter's name. Undefined
   * where no block has anything.
   */
  readonly extra: ReadonlyArray<readonly string[] | undefined> | undefined;
  readonly tier: Tier;
  readonly group: CacheGroup;
}

export interface BlockRemoved {
  readonly type: "removed";
  readonly hashes: readonly number[];
  readonly tier: Tier;
  readonly groupIndex: number;
}

/** The engine forgot all of its blocks. */
interface BlocksCleared {
  readonly type: "cleared";
}

/** Layers of a model that share their blocks. Models with layers of several kinds have several groups. */
export interface CacheGroup {
  /** 0 where the engine has one group. */
  readonly index: number;
  /** As the engine calls it, such as `full_attention` or `sliding_window`; undefined where it does not say. */
  readonly kind: string | undefined;
}

/** The memories that blocks are kept in, the fastest first. */
export const tiers = ["gpu", "cpu", "storage"] as const;
export type Tier = (typeof tiers)[number];

/** What a publisher sends at once. */
export interface KvEventBatch {
  readonly events: readonly KvEvent[];
  /** Events of types that are not known. */
  readonly unknown: number;
}
