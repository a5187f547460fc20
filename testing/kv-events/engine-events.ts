import { encode } from "@msgpack/msgpack";
import type { CachedBlock, CacheListener } from "../model-server/simulation.ts";
import { tokensOf } from "./tokens.ts";

interface Stored {
  readonly type: "BlockStored";
  readonly block_hashes: bigint[];
  readonly parent_block_hash: bigint | null;
  readonly token_ids: number[];
  readonly extra_keys: null[];
}

interface Removed {
  readonly type: "BlockRemoved";
  readonly block_hashes: bigint[];
}

/** What a simulated engine's cache came to hold and let go, as vLLM 0.32 tells of it. */
export class EngineEvents implements CacheListener {
  readonly #blockSize: number;
  #events: Array<Stored | Removed> = [];
  #lastStored: string | undefined;

  /** @param blockSize tokens of a block */
  constructor(blockSize: number) {
    this.#blockSize = blockSize;
  }

  stored({ key, parent, text }: CachedBlock): void {
    const last = this.#events.at(-1);
    const goesOn =
      last?.type === "BlockStored" && parent !== undefined && parent === this.#lastStored;
    const event: Stored = goesOn
      ? last
      : {
          type: "BlockStored",
          block_hashes: [],
          parent_block_hash: parent === undefined ? null : hashOf(parent),
          token_ids: [],
          extra_keys: [],
        };
    if (!goesOn) this.#events.push(event);
    event.block_hashes.push(hashOf(key));
    event.token_ids.push(...tokensOf(text));
    event.extra_keys.push(null);
    this.#lastStored = key;
  }

  removed(key: string): void {
    this.#lastStored = undefined;
    const last = this.#events.at(-1);
    if (last?.type === "BlockRemoved") last.block_hashes.push(hashOf(key));
    else this.#events.push({ type: "BlockRemoved", block_hashes: [hashOf(key)] });
  }

  /** A message of all that happened since the last one; undefined where nothing did. */
  batch(): Uint8Array | undefined {
    if (this.#events.length === 0) return undefined;
    const beside = { medium: "GPU", group_idx: 0 };
    const ofStored = {
      ...{ block_size: this.#blockSize, lora_id: null, lora_name: null },
      kv_cache_spec_kind: "full_attention",
    };
    const events = this.#events.map((event) => ({
      ...event,
      ...beside,
      ...(event.type === "BlockStored" && ofStored),
    }));
    this.#events = [];
    this.#lastStored = undefined;
    return encode([Date.now() / 1000, events, 0], { useBigInt64: true });
  }
}

/** Keys of blocks are SHA-1 in base64: eight bytes of it are the engine's hash. */
const hashOf = (key: string): bigint => Buffer.from(key, "base64").readBigUInt64BE(0);
