import type { ByteSpan } from "./byte-span.ts";

/**
 * Request fields in which routers and sidecars send engines the location of a KV cache and the ranks that share the
 * work: vLLM's transfers, SGLang's bootstrap and ranks, TensorRT-LLM's stages, llm-d's cache threshold. An engine
 * trusts them: with them a client could make it connect to any address, or stop.
 */
const engineFields = [
  ...["kv_transfer_params", "ec_transfer_params", "cache_hit_threshold", "disaggregated_params"],
  ...["data_parallel_rank", "routed_dp_rank", "disagg_prefill_dp_rank"],
] as const;

/** Prefix of every field of SGLang's bootstrap. */
export const engineFieldPrefix = "bootstrap_";

/** Members whose members vLLM reads as its own parameters. They may be members of the body or of one another. */
const holders = ["vllm_xargs", "sampling_params", "extra_args", "extra_body"] as const;

/** Whether a member is such a field, or an object that may contain such fields. */
export type EngineFieldRole = "engine" | "holder";

export const engineFieldRoles: ReadonlyArray<readonly [name: string, role: EngineFieldRole]> = [
  ...engineFields.map((name) => [name, "engine"] as const),
  ...holders.map((name) => [name, "holder"] as const),
];

/** A member that only infrastructure may set, with the position of its value. */
export interface EngineField extends ByteSpan {
  readonly name: string;
  /** Offset of its key's opening quote. */
  readonly keyStart: number;
}
