import { encode } from "@msgpack/msgpack";
import type { CachedBlock, CacheListener } from "../model-server/simulation.ts";
import { tokensOf } from "./tokens.ts";

/** Changes of a simulated engine's cache, as vLLM 0.32 publishes them. */
export class EngineEvents implements CacheListener {
  readonly #blockSize: number;
  /** Stored blocks, and keys of removed blocks, in order. */
  #changes: Array<CachedBlock | string> = [];

  /** @param blockSize tokens of a block */
  constructor(blockSize: number) {
    this.#blockSize = blockSize;
  }

  stored(block: CachedBlock): void {
    this.#changes.push(block);
  }

  removed(key: string): void {
    this.#changes.push(key);
  }

  /** Drops all pending changes: they are never published. */
  forget(): void {
    this.#changes = [];
  }

  /** A message with all changes since the last one; undefined if there are none. */
  batch(): Uint8Array | undefined {
    if (this.#changes.length === 0) return undefined;
    const events = runsOf(this.#changes).map((run) =>
      "blocks" in run ? storedEvent(run.blocks, this.#blockSize) : removedEvent(run.keys),
    );
    this.forget();
    return encode([Date.now() / 1000, events, 0], { useBigInt64: true });
  }
}

type Run = { readonly blocks: CachedBlock[] } | { readonly keys: string[] };

/** An event each: blocks that follow one another, or keys that went together. */
function runsOf(changes: ReadonlyArray<CachedBlock | string>): Run[] {
  const runs: Run[] = [];
  for (const change of changes) {
    const run = runs.at(-1) ?? { blocks: [] };
    if (typeof change === "string") {
      if ("keys" in run) run.keys.push(change);
      else runs.push({ keys: [change] });
    } else if ("blocks" in run && run.blocks.at(-1)?.key === (change.parent ?? "")) {
      run.blocks.push(change);
    } else runs.push({ blocks: [change] });
  }
  return runs;
}

const storedEvent = (blocks: readonly CachedBlock[], blockSize: number) => ({
  type: "BlockStored",
  block_hashes: blocks.map(({ key }) => hashOf(key)),
  parent_block_hash: blocks[0]?.parent === undefined ? null : hashOf(blocks[0].parent),
  token_ids: blocks.flatMap(({ text }) => tokensOf(text)),
  block_size: blockSize,
  lora_id: null,
  medium: "GPU",
  lora_name: null,
  extra_keys: blocks.map(() => null),
  group_idx: 0,
  kv_cache_spec_kind: "full_attention",
});

const removedEvent = (keys: readonly string[]) => ({
  type: "BlockRemoved",
  block_hashes: keys.map(hashOf),
  medium: "GPU",
  group_idx: 0,
});

/** Keys of blocks are SHA-1 in base64; an engine's hash is the first eight bytes. */
const hashOf = (key: string): bigint => Buffer.from(key, "base64").readBigUInt64BE(0);
