/** Checks of the start of SGLang. */

import { orList } from "../../errors.ts";
import { bfloat16, modelRelease, type NeedOf, quantization } from "../checks/capability.ts";
import { modelContext } from "../checks/context.ts";
import { loadingTime, modelToken } from "../checks/loading.ts";
import {
  hostMemory,
  type MemoryEstimate,
  memoryRequest,
  oncePerStart,
  toleratedBytes,
  weights,
} from "../checks/memory.ts";
import { divisors, draft, type ExpertRanks, experts, stages } from "../checks/ranks.ts";
import {
  isBefore,
  isOn,
  isOverridden,
  numberOf,
  optionText,
  type StartUp,
  type StartUpCheck,
  type StartUpChecks,
} from "../interface/start-up.ts";
import { whatIsKnown } from "../options/arguments.ts";
import type { Version } from "../options/version.ts";
import { sglangMemory } from "./memory.ts";
import { wholeRanks } from "./serving.ts";

/** By release notes: the first release with the architecture, or an earlier one. */
const architectures: Readonly<Record<string, Version>> = {
  DeepseekV3ForCausalLM: [0, 4, 1],
  Gemma3ForConditionalGeneration: [0, 4, 4],
  Llama4ForConditionalGeneration: [0, 4, 5],
  Qwen3ForCausalLM: [0, 4, 6],
  Qwen3MoeForCausalLM: [0, 4, 6],
  Glm4MoeForCausalLM: [0, 4, 9],
  GptOssForCausalLM: [0, 5, 0],
  Qwen3NextForCausalLM: [0, 5, 2],
  DeepseekV32ForCausalLM: [0, 5, 3],
  Qwen3VLForConditionalGeneration: [0, 5, 3],
  Qwen3VLMoeForConditionalGeneration: [0, 5, 3],
  DeepseekV4ForCausalLM: [0, 5, 9],
};

const contextOption = "--context-length";

/** skypilot-org/skypilot#4723, sgl-project/sglang#18071 of 0.5.8. */
const quantizationNeed: NeedOf = (startUp, { method }) => {
  if (method === "fp8-block") return { label: "FP8 blocks", capability: [8, 9] };
  if (method === "nvfp4" && isBefore(startUp, [0, 5, 9]))
    return { label: "NVFP4", capability: [10, 0] };
  return undefined;
};

const wholeRanksOf = (startUp: StartUp): number =>
  wholeRanks(startUp.parallelism.tensor, (option) => optionText(startUp, option));

const expertRanks = (startUp: StartUp): ExpertRanks => ({
  ranks: wholeRanksOf(startUp),
  redundant: numberOf(startUp, "--ep-num-redundant-experts") ?? 0,
  redundantOption: "--ep-num-redundant-experts",
});

/** FusedMoE: experts divide over the ranks, and the ranks over the tensor parallel group. */
const expertCheck: StartUpCheck = function* (startUp) {
  yield* experts(expertRanks)(startUp);
  const { facts, parallelism } = startUp;
  if (facts.experts === undefined || isOverridden(startUp)) return;
  const ranks = wholeRanksOf(startUp);
  if (ranks > 1 && parallelism.tensor % ranks !== 0)
    yield {
      given: `set an expert parallel size of ${ranks} for ${parallelism.tensor} tensor parallel ranks`,
      allowed: "a divisor of the tensor parallel size",
      fix: `Set --ep-size to ${orList(divisors(parallelism.tensor))}.`,
    };
};

/** Copies of the attention layers. */
const copiesOf = (startUp: StartUp): number =>
  isOn(startUp, "--enable-dp-attention") ? (numberOf(startUp, "--dp-size") ?? 1) : 1;

/** Multiple to which SGLang pads the rows of a vocabulary before it divides them: sgl-project/sglang#31799. */
const vocabularyStep = 64;

const vocabularyRanks: StartUpCheck = function* (startUp) {
  const { facts, parallelism } = startUp;
  if (isOverridden(startUp)) return;
  const ranks = parallelism.tensor / copiesOf(startUp);
  const rows = Math.ceil(facts.vocabulary / vocabularyStep) * vocabularyStep;
  if (rows % ranks === 0) return;
  const fitting = divisors(rows).filter((size) => size <= ranks && parallelism.tensor % size === 0);
  yield {
    given: `divide a vocabulary of ${facts.vocabulary} tokens over ${ranks} ranks`,
    allowed: `a number of ranks that divides ${rows}, such as ${fitting.at(-1) ?? 1}`,
    fix: `Set --tp-size ${fitting.at(-1) ?? 1} and use --pp-size for the other devices.`,
  };
};

const estimate: MemoryEstimate = {
  of: oncePerStart((startUp) => {
    const { tensor, pipeline, context } = startUp.parallelism;
    const expertParallel = wholeRanksOf(startUp) > 1;
    const common = memoryRequest(startUp, {
      contextOption,
      ranks: tensor * pipeline * context,
      layout: { tensor, pipeline, attentionCopies: copiesOf(startUp), expertParallel },
    });
    if (common === undefined) return undefined;
    const memoryFraction = numberOf(startUp, "--mem-fraction-static");
    const stepTokens = numberOf(startUp, "--chunked-prefill-size");
    return sglangMemory(common.model, {
      ...common.request,
      ...(memoryFraction !== undefined && { memoryFraction }),
      ...(stepTokens !== undefined && stepTokens > 0 && { stepTokens }),
    });
  }),
  // The activations are only a part of the memory outside the fraction.
  missing: (startUp) => toleratedBytes(startUp),
};

export const sglangChecks: StartUpChecks = {
  token: modelToken,
  "model-release": modelRelease(architectures),
  "data-type": bfloat16,
  quantization: quantization(quantizationNeed),
  experts: expertCheck,
  vocabulary: vocabularyRanks,
  stages: stages(),
  draft: draft(
    (startUp) => ({
      name: optionText(startUp, "--speculative-draft-model-path"),
      ranks: whatIsKnown(startUp.args.written("--speculative-draft-tensor-parallel-size")),
    }),
    () => "Use another draft model or another tensor parallel size.",
  ),
  context: modelContext(contextOption),
  weights: weights(estimate),
  "host-memory": hostMemory,
  "loading-time": loadingTime,
};
