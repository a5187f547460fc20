/**
 * Change of a model server's KV cache, as published by vLLM (`vllm/distributed/kv_events.py`), independent of the wire
 * format. Block hashes are numbers of 53 bits: the low bits of the engine's hash.
 */
export type KvEvent = BlockStored | BlockRemoved | BlocksCleared;

/** Stored blocks of one sequence, in order. */
export interface BlockStored {
  readonly type: "stored";
  readonly hashes: readonly number[];
  /** Hash of the block before the first one; undefined if the first block begins the sequence. */
  readonly parent: number | undefined;
  /** Tokens of all blocks, in order. Empty if known blocks moved to another tier. */
  readonly tokens: readonly number[];
  /** Tokens per block. */
  readonly blockSize: number;
  /** Name of the adapter; empty for the base model. */
  readonly adapter: string;
  /**
   * Parts of each block's hash besides tokens and adapter name, such as a cache salt or digests of images. Undefined if
   * no block has any.
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

/** The engine removed all of its blocks. */
interface BlocksCleared {
  readonly type: "cleared";
}

/** Layers of a model that share blocks. A model with several kinds of layers has several groups. */
export interface CacheGroup {
  /** 0 if the engine has one group. */
  readonly index: number;
  /** Name of the kind in the engine, such as `full_attention` or `sliding_window`; undefined if it is not reported. */
  readonly kind: string | undefined;
}

/** Memories that hold blocks, fastest first. */
export const tiers = ["gpu", "cpu", "storage"] as const;
export type Tier = (typeof tiers)[number];

/** Events that a publisher sends in one message. */
export interface KvEventBatch {
  readonly events: readonly KvEvent[];
  /** Number of events with unknown types. */
  readonly unknown: number;
}
