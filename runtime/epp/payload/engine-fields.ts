import type { ByteSpan } from "./payload.ts";

/**
 * Fields of requests by which routers and sidecars tell engines where a KV cache lies and who shares the work: vLLM's
 * transfers, SGLang's bootstrap and ranks, TensorRT-LLM's stages, llm-d's cache threshold. An engine believes them: from
 * a client they make it connect where the client says, or end.
 */
const engineFields = [
  ...["kv_transfer_params", "ec_transfer_params", "cache_hit_threshold", "disaggregated_params"],
  ...["data_parallel_rank", "routed_dp_rank", "disagg_prefill_dp_rank"],
] as const;

/** How every field of SGLang's bootstrap begins. */
export const engineFieldPrefix = "bootstrap_";

/** Members of a body, and of each other, whose members vLLM takes for parameters of its own. */
const holders = ["vllm_xargs", "sampling_params", "extra_args", "extra_body"] as const;

/** An object may hold such fields, or is one. */
export type EngineFieldRole = "engine" | "holder";

export const engineFieldRoles: ReadonlyArray<readonly [name: string, role: EngineFieldRole]> = [
  ...engineFields.map((name) => [name, "engine"] as const),
  ...holders.map((name) => [name, "holder"] as const),
];

/** A member that only infrastructure may set: where its value stands. */
export interface EngineField extends ByteSpan {
  readonly name: string;
  /** Offset of its key's opening quote. */
  readonly keyStart: number;
}
