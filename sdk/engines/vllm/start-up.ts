/** Checks of the start of vLLM. */

import { orList, sentence } from "../../errors.ts";
import { modelRelease, quantization } from "../checks/capability.ts";
import { contextOf, isChosen, modelContext } from "../checks/context.ts";
import { loadingTime, modelToken } from "../checks/loading.ts";
import {
  hostMemory,
  type MemoryEstimate,
  memoryRequest,
  offloadedBytes,
  oncePerStart,
  toleratedBytes,
  weights,
} from "../checks/memory.ts";
import { draft, experts, stages } from "../checks/ranks.ts";
import {
  isBefore,
  isOn,
  jsonOf,
  numberOf,
  optionText,
  type StartUp,
  type StartUpCheck,
  type StartUpChecks,
  versionText,
} from "../interface/start-up.ts";
import { gibText } from "../memory/gibibytes.ts";
import type { EngineMemory } from "../memory/memory.ts";
import { whatIsKnown } from "../options/arguments.ts";
import { isAtLeast } from "../options/version.ts";
import {
  dataType,
  gpuGeneration,
  keyValueDataType,
  laterQuantization,
  namedQuantization,
  quantizationNeed,
} from "./capability.ts";
import { architectures } from "./first-releases.ts";
import { loraRanks } from "./limits.ts";
import { type VllmMemoryRequest, vllmMemory } from "./memory.ts";
import { decodeContext, draftStages, expertRanks, olderStages } from "./ranks.ts";

const contextOption = "--max-model-len";

/** Whether the engine chooses the longest context that fits. */
const isContextChosen = (startUp: StartUp): boolean => isChosen(optionText(startUp, contextOption));

/** Whether a prompt is computed in one step by default: up to 0.7, and for a context of up to 32,768 tokens. */
const isWholePrompt = (startUp: StartUp): boolean =>
  isBefore(startUp, [0, 8]) &&
  (contextOf(startUp, contextOption) ?? startUp.facts.context) <= 32_768;

/** Share of the activations that may be overestimated, because their peak differs by release. */
const doubtfulActivations = 0.6;
/** The V0 engine, up to 0.7, profiles a whole prompt, so its activations are well known. */
const exactTolerance = 0.02;

const estimate: MemoryEstimate = {
  of: oncePerStart((startUp) => {
    const { parallelism, facts, version, args } = startUp;
    const { tensor, pipeline, context, data } = parallelism;
    const common = memoryRequest(startUp, {
      contextOption,
      ranks: tensor * pipeline * context * data,
      layout: {
        tensor,
        pipeline,
        data,
        expertParallel: isOn(startUp, "--enable-expert-parallel"),
      },
    });
    if (common === undefined) return undefined;
    const numbers: Array<[keyof VllmMemoryRequest, string]> = [
      ["utilization", "--gpu-memory-utilization"],
      ["sequences", "--max-num-seqs"],
      ["stepTokens", "--max-num-batched-tokens"],
    ];
    const limits = numbers.flatMap(([field, option]) => {
      const value = numberOf(startUp, option);
      return value === undefined ? [] : [[field, value]];
    });
    const speculation = args.has("--speculative-config")
      ? jsonOf(startUp, "--speculative-config")
      : undefined;
    return vllmMemory(common.model, {
      ...common.request,
      ...(version !== undefined && { version: versionText(version) }),
      ...Object.fromEntries(limits),
      ...(isWholePrompt(startUp) &&
        !args.has("--max-num-batched-tokens") && {
          stepTokens: Math.max(2048, common.request.context ?? facts.context),
        }),
      eager: isOn(startUp, "--enforce-eager"),
      draft: /mtp/.test(String(speculation?.method ?? "")),
    });
  }),
  missing: (startUp, { activations }) =>
    isWholePrompt(startUp)
      ? toleratedBytes(startUp, exactTolerance)
      : toleratedBytes(startUp) + activations * doubtfulActivations,
};

/** Returns the context with `--rope-scaling`, which releases up to 0.11 have. */
function scaledContext(startUp: StartUp): number | undefined {
  const scaling = jsonOf(startUp, "--rope-scaling");
  if (scaling === undefined) return undefined;
  const original = Number(scaling.original_max_position_embeddings ?? startUp.facts.context);
  return original * Number(scaling.factor ?? 1);
}

/** SchedulerConfig.verify_max_model_len, the same from 0.15 to 0.29 (unslothai/unsloth-zoo#1211). */
const stepTokens: StartUpCheck = function* (startUp) {
  const { facts } = startUp;
  if (facts.encoder) return;
  const tokens = numberOf(startUp, "--max-num-batched-tokens");
  if (tokens === undefined) return;
  const sequences = numberOf(startUp, "--max-num-seqs");
  if (sequences !== undefined && tokens < sequences)
    yield {
      given: `set --max-num-batched-tokens ${tokens} with --max-num-seqs ${sequences}`,
      allowed: "at least one token per step for each sequence",
      fix: `Set --max-num-seqs ${tokens} or less.`,
    };
  if (isContextChosen(startUp)) return;
  const context = contextOf(startUp, contextOption) ?? facts.context;
  const written = optionText(startUp, "--enable-chunked-prefill");
  // The V0 engine, up to 0.7, splits prompts by default only for a context of more than 32,768 tokens.
  const isWhole =
    written === undefined
      ? isBefore(startUp, [0, 8]) && context <= 32_768
      : !isOn(startUp, "--enable-chunked-prefill");
  if (!isWhole || tokens >= context) return;
  yield {
    given: `set --max-num-batched-tokens ${tokens} without chunked prefill for a context of ${context}`,
    allowed: `at least ${context}, because a whole prompt is computed in one step`,
    fix: `Set --max-num-batched-tokens ${context}, lower --max-model-len to ${tokens}, or enable chunked prefill.`,
  };
};

/** LoRAConfig, vllm-project/vllm#2847. */
const adapterRank: StartUpCheck = function* (startUp) {
  if (!isOn(startUp, "--enable-lora")) return;
  // A stored release has the list of its ranks.
  if (startUp.engine.releases?.of(startUp.container.image) !== undefined) return;
  const rank = numberOf(startUp, "--max-lora-rank");
  if (rank === undefined) return;
  const allowed = loraRanks
    .filter(([, first]) => isAtLeast(startUp.version, first) !== false)
    .map(([each]) => each);
  if (allowed.includes(rank)) return;
  const next = allowed.find((each) => each >= rank);
  const later = loraRanks.find(([each]) => each >= rank)?.[0];
  yield {
    given: `set --max-lora-rank ${rank}`,
    allowed: orList(allowed),
    fix:
      next !== undefined
        ? `Set --max-lora-rank ${next}.`
        : later !== undefined
          ? `Use a later vLLM image, which supports rank ${later}, or adapters of rank ${allowed.at(-1)} or lower.`
          : `Use adapters of rank ${allowed.at(-1)} or lower.`,
  };
};

/** Checks keys and values of one request with the longest context. */
const contextMemory: StartUpCheck = function* (startUp) {
  const { modelName, facts, accelerator } = startUp;
  if (facts.encoder || isContextChosen(startUp)) return;
  if (accelerator?.platform !== "cuda" && accelerator?.platform !== "rocm") return;
  if (
    ["--kv-cache-memory-bytes", "--num-gpu-blocks-override"].some((each) => startUp.args.has(each))
  )
    return;
  const memory = estimate.of(startUp);
  if (memory === undefined || memory.bytesPerToken === 0) return;
  const available = memory.available + offloadedBytes(startUp);
  const spare = available + estimate.missing(startUp, memory);
  if (spare <= 0) return;
  const shared = numberOf(startUp, "--decode-context-parallel-size") ?? 1;
  const context = Math.min(contextOf(startUp, contextOption) ?? facts.context, facts.context);
  const needed = bytesOfContext(memory, context) / shared;
  if (needed * (isUncapped(startUp) ? uncappedShare : 1) <= spare) return;
  const longest = Math.floor(Math.min(context, memory.longest * shared) / 256) * 256;
  const isNarrow = facts.attention.kind === "grouped" && !isQuantizedCache(startUp);
  const more = `${isNarrow ? "set --kv-cache-dtype fp8 on GPUs that support it, or " : ""}divide the model over more devices`;
  yield {
    given: `set a context of ${context} tokens for ${modelName}, which needs ${gibText(needed)} of KV cache on each ${accelerator.title}, but ${gibText(Math.max(0, available))} are available`,
    allowed:
      longest > 0
        ? `about ${longest} tokens`
        : "a context of which one request fits into the KV cache",
    fix: longest > 0 ? `Set --max-model-len ${longest}, ${more}.` : sentence(more),
  };
};

/**
 * Minimum share of a context of a million tokens that must fit, because published recipes do not limit such contexts.
 */
const uncappedShare = 0.5;

const isUncapped = (startUp: StartUp): boolean =>
  contextOf(startUp, contextOption) === undefined && startUp.facts.context >= 1_000_000;

const isQuantizedCache = (startUp: StartUp) =>
  (optionText(startUp, "--kv-cache-dtype") ?? "auto") !== "auto";

/** Bytes of one sequence, computed from the number of sequences that fit and from `available`, their memory. */
function bytesOfContext(memory: EngineMemory, context: number): number {
  return memory.available > 0 && memory.tokens > 0
    ? (memory.available * context) / memory.tokens
    : memory.bytesPerToken * context;
}

export const vllmChecks: StartUpChecks = {
  token: modelToken,
  "model-release": modelRelease(architectures),
  "gpu-generation": gpuGeneration,
  "data-type": dataType,
  quantization: quantization(quantizationNeed, laterQuantization),
  "named-quantization": namedQuantization,
  "kv-data-type": keyValueDataType,
  "decode-context": decodeContext,
  experts: experts(expertRanks),
  stages: stages(olderStages),
  draft: draft(
    (startUp) => {
      const config = jsonOf(startUp, "--speculative-config");
      const option = "--speculative-draft-tensor-parallel-size";
      return {
        name: config?.model ?? optionText(startUp, "--speculative-model"),
        ranks: config?.draft_tensor_parallel_size ?? whatIsKnown(startUp.args.written(option)),
      };
    },
    (size) => `Set draft_tensor_parallel_size of --speculative-config to ${size}.`,
  ),
  "draft-stages": draftStages,
  context: modelContext(contextOption, scaledContext),
  "step-tokens": stepTokens,
  "adapter-rank": adapterRank,
  weights: weights(estimate),
  "context-memory": contextMemory,
  "host-memory": hostMemory,
  "loading-time": loadingTime,
};
