/** Divisions of a model that vLLM refuses, by release. */

import { type ExpertRanks, withoutStages } from "../checks/ranks.ts";
import {
  isBefore,
  isOn,
  isOverridden,
  jsonOf,
  numberOf,
  optionText,
  type StartUp,
  type StartUpCheck,
  versionText,
} from "../interface/start-up.ts";
import { modelFacts } from "../models/model-facts.ts";
import { firstPipelined, pipelineReleases } from "./first-releases.ts";
import { dividedDrafts } from "./limits.ts";

/** ModelConfig.verify_with_parallel_config; vllm-project/vllm#41623. */
export const decodeContext: StartUpCheck = function* (startUp) {
  const { facts, parallelism } = startUp;
  if (isOverridden(startUp)) return;
  const size = numberOf(startUp, "--decode-context-parallel-size") ?? 1;
  const { tensor, context } = parallelism;
  if (size === 1 || context > 1) return;
  if (tensor % size !== 0)
    yield {
      given: `divide ${tensor} tensor parallel ranks into decode context groups of ${size}`,
      allowed: "a decode context parallel size that divides the tensor parallel size",
      fix: `Set --decode-context-parallel-size to a divisor of ${tensor}.`,
    };
  if (facts.attention.kind !== "grouped") return;
  const { keyValueHeads } = facts.attention;
  if (tensor > keyValueHeads && size <= tensor / keyValueHeads) return;
  yield {
    given: `set --decode-context-parallel-size ${size} with ${tensor} tensor parallel ranks for ${keyValueHeads} key-value heads`,
    allowed: `a tensor parallel size of at least ${keyValueHeads * size} (${size} ranks for each key-value head)`,
    fix: `Set --tensor-parallel-size ${keyValueHeads * size}, or remove --decode-context-parallel-size.`,
  };
};

export function expertRanks(startUp: StartUp): ExpertRanks {
  const redundantOption = "num_redundant_experts of --eplb-config";
  const isBalanced = isOn(startUp, "--enable-eplb");
  // Without balancing, vLLM assigns one more expert to some ranks, except with the kernels of DeepSeek V4.
  const needsEven = isBalanced || optionText(startUp, "--moe-backend") === "deep_gemm_mega_moe";
  if (!needsEven || !isOn(startUp, "--enable-expert-parallel"))
    return { ranks: 1, redundant: 0, redundantOption };
  const config = jsonOf(startUp, "--eplb-config");
  const redundant =
    Number(config?.num_redundant_experts ?? numberOf(startUp, "--num-redundant-experts") ?? 0) || 0;
  const { tensor, data, context } = startUp.parallelism;
  return { ranks: tensor * data * context, redundant, redundantOption };
}

/** Stages of releases for which no data is stored. */
export function* olderStages(startUp: StartUp, flag: string): ReturnType<StartUpCheck> {
  const { facts, parallelism, version } = startUp;
  const { architecture } = facts;
  const first = pipelineReleases[architecture];
  const isEarly = isBefore(startUp, [0, 6, 3]) && !firstPipelined.has(architecture);
  const isLate = first !== undefined && first !== "never" && isBefore(startUp, first);
  if (first !== "never" && !isEarly && !isLate) return;
  const given = `set ${flag} ${parallelism.pipeline} for ${architecture},`;
  const sizes = withoutStages(startUp, flag);
  if (first === "never")
    yield {
      given: `${given} for which vLLM does not support pipeline stages`,
      allowed: "no pipeline stages",
      fix: `Set ${sizes}.`,
    };
  else
    yield {
      given: `${given} which vLLM ${version ? versionText(version) : ""} does not divide into pipeline stages`,
      allowed: `vLLM ${versionText(first ?? [0, 6, 3])} or later`,
      fix: `Use a later image, or set ${sizes}.`,
    };
}

/** A draft model is divided into the stages of the target model, and refused if its class has no stages. */
export const draftStages: StartUpCheck = function* (startUp) {
  const { engine, facts, modelName, parallelism, container } = startUp;
  const release = engine.releases?.of(container.image);
  if (release === undefined || parallelism.pipeline === 1) return;
  if (!isBefore(startUp, dividedDrafts.until)) return;
  const config = jsonOf(startUp, "--speculative-config");
  const method = String(config?.method ?? "");
  const own = /mtp/.test(method) ? dividedDrafts.byTarget[facts.architecture] : undefined;
  const named =
    typeof config?.model === "string" ? modelFacts(config.model)?.architecture : undefined;
  const draft = own ?? named ?? dividedDrafts.byMethod[method];
  if (draft === undefined || !release.names.unstaged.has(draft)) return;
  const later = `vLLM ${versionText(dividedDrafts.until)} or later`;
  yield {
    given: `set ${method === "" ? "speculative decoding" : `speculation by ${method}`} for ${modelName} with ${parallelism.pipeline} pipeline stages, into which vLLM ${release.version} cannot divide the draft model ${draft}`,
    allowed: `${later}, or no pipeline stages with this draft model`,
    fix: `Use an image with ${later}, set ${withoutStages(startUp, "--pipeline-parallel-size")}, or remove the speculation.`,
  };
};
