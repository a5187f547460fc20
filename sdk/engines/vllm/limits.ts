/** Limits of vLLM by release. */

import type { Version } from "../options/version.ts";

/** Values of `--max-lora-rank`, each with its first release of vLLM. */
export const loraRanks: ReadonlyArray<readonly [rank: number, first: Version]> = [
  [1, [0, 11, 1]],
  [8, [0, 1]],
  [16, [0, 1]],
  [32, [0, 1]],
  [64, [0, 1]],
  [128, [0, 5, 5]],
  [256, [0, 5, 5]],
  [320, [0, 8, 5]],
  [512, [0, 8, 5]],
];

/**
 * Default of `--max-num-seqs` on large devices and on others: EngineArgs.get_batch_defaults in vllm/engine/arg_utils.py.
 */
export const defaultSequences = { large: 1_024, others: 256 } as const;

interface DividedDrafts {
  /** First release that does not divide them. */
  readonly until: Version;
  /** Architecture of the draft model that is built from layers of the target, by the target's architecture. */
  readonly byTarget: Readonly<Record<string, string>>;
  /** Architecture of the draft model by the method of speculation. */
  readonly byMethod: Readonly<Record<string, string>>;
}

/** create_draft_parallel_config of the releases on PyPI. The draft models of later releases have no stages. */
export const dividedDrafts: DividedDrafts = {
  until: [0, 30, 0],
  // SpeculativeConfig.hf_config_override.
  byTarget: {
    DeepseekV3ForCausalLM: "DeepSeekMTPModel",
    DeepseekV32ForCausalLM: "DeepSeekMTPModel",
    GlmMoeDsaForCausalLM: "DeepSeekMTPModel",
    DeepseekV4ForCausalLM: "DeepSeekV4MTPModel",
    Glm4MoeForCausalLM: "Glm4MoeMTPModel",
    Glm4MoeLiteForCausalLM: "Glm4MoeLiteMTPModel",
    MiMoForCausalLM: "MiMoMTPModel",
    Qwen3NextForCausalLM: "Qwen3NextMTP",
    Qwen3_5ForConditionalGeneration: "Qwen3_5MTP",
    Qwen3_5MoeForConditionalGeneration: "Qwen3_5MoeMTP",
    Step3p5ForCausalLM: "Step3p5MTP",
    MiniMaxM3SparseForConditionalGeneration: "MiniMaxM3MTP",
  },
  byMethod: { eagle3: "Eagle3LlamaForCausalLM" },
};
