/** Compares weights, keys and values with the memory of devices and of the host. */

import { engines } from "../engines/index.ts";
import { sentence } from "../errors.ts";
import { quantizationOnLoading } from "./capability-faults.ts";
import { contextOf, isContextChosen } from "./context-faults.ts";
import { gibibyte, gibText } from "./gibibytes.ts";
import type { Layout } from "./layout.ts";
import {
  deviceOf,
  type EngineMemory,
  sglangMemory,
  type VllmMemoryRequest,
  vllmMemory,
} from "./memory.ts";
import {
  isBefore,
  isOn,
  isOverridden,
  jsonOf,
  numberOf,
  type StartUp,
  type StartUpCheck,
  textOf,
  versionText,
} from "./start-up.ts";

/** Share of a device's memory that the estimate may be wrong by before a configuration is refused. */
const tolerance = 0.03;
/** Share of the activations that may be overestimated, because their peak differs by release. */
const doubtfulActivations = 0.6;
/** The V0 engine of vLLM, up to 0.7, profiles a whole prompt, so its activations are well known. */
const exactTolerance = 0.02;

/** Returns the missing bytes of a device above which a configuration is refused. */
function missing(startUp: StartUp, { activations }: EngineMemory): number {
  const bytes = (startUp.accelerator?.memoryGiB ?? 0) * gibibyte;
  if (isWholePrompt(startUp)) return bytes * exactTolerance;
  // In SGLang, activations are only a part of the memory outside the fraction.
  const doubtful = startUp.engine === "vllm" ? activations * doubtfulActivations : 0;
  return bytes * tolerance + doubtful;
}

/** Whether vLLM computes a prompt in one step by default: up to 0.7, and for a context of up to 32,768 tokens. */
const isWholePrompt = (startUp: StartUp): boolean =>
  startUp.engine === "vllm" &&
  isBefore(startUp, [0, 8]) &&
  (contextOf(startUp) ?? startUp.facts.context) <= 32_768;

function layoutOf(startUp: StartUp): Layout {
  const { engine, parallelism } = startUp;
  const { tensor, pipeline, data } = parallelism;
  if (engine === "vllm") {
    const expertParallel = isOn(startUp, "--enable-expert-parallel");
    return { tensor, pipeline, data, expertParallel };
  }
  const isDivided = isOn(startUp, "--enable-dp-attention");
  const attentionCopies = isDivided ? (numberOf(startUp, "--dp-size") ?? 1) : 1;
  const exchange = textOf(startUp, "--moe-a2a-backend") ?? "none";
  const expertParallel = exchange !== "none" || (numberOf(startUp, "--ep-size") ?? 1) > 1;
  return { tensor, pipeline, attentionCopies, expertParallel };
}

const computed = new WeakMap<StartUp, { readonly memory: EngineMemory | undefined }>();

/** Returns the memory of a device; undefined if necessary facts are unknown. */
function memoryOf(startUp: StartUp): EngineMemory | undefined {
  const known = computed.get(startUp) ?? { memory: computeMemory(startUp) };
  computed.set(startUp, known);
  return known.memory;
}

function computeMemory(startUp: StartUp): EngineMemory | undefined {
  const { engine, accelerator, facts, parallelism, devices, pods, version, args } = startUp;
  if (accelerator === undefined || engine === "tensorrt-llm" || isOverridden(startUp))
    return undefined;
  if (!Number.isFinite(accelerator.memoryGiB)) return undefined;
  const { tensor, pipeline, context, data } = parallelism;
  // Another rule checks several engines in one pod, and ranks without a device.
  const ranks = tensor * pipeline * context * (engine === "vllm" ? data : 1);
  if (devices > 0 && ranks > devices * pods) return undefined;
  const named = textOf(startUp, "--quantization");
  const onLoading = quantizationOnLoading(startUp);
  const isQuantized = Object.keys(facts.weights.quantized).length > 0;
  if (named !== undefined && !isQuantized && onLoading === undefined) return undefined;
  const written = contextOf(startUp);
  const type = textOf(startUp, "--kv-cache-dtype") ?? "auto";
  const model = isOn(startUp, "--language-model-only") ? withoutVision(facts) : facts;
  const request = {
    ...{ layout: layoutOf(startUp), device: deviceOf(accelerator) },
    keyValueType: type.startsWith("fp8") ? ("fp8" as const) : ("auto" as const),
    ...(written !== undefined && { context: written }),
    ...adaptersOf(startUp),
    ...(onLoading !== undefined && { quantizedOnLoading: onLoading.bytes }),
  };
  if (engine === "sglang") {
    const fraction = numberOf(startUp, "--mem-fraction-static");
    const stepTokens = numberOf(startUp, "--chunked-prefill-size");
    return sglangMemory(model, {
      ...request,
      ...(fraction !== undefined && { memoryFraction: fraction }),
      ...(stepTokens !== undefined && stepTokens > 0 && { stepTokens }),
    });
  }
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
  return vllmMemory(model, {
    ...request,
    ...(version !== undefined && { version: versionText(version) }),
    ...Object.fromEntries(limits),
    ...(isWholePrompt(startUp) &&
      !args.has("--max-num-batched-tokens") && {
        stepTokens: Math.max(2048, written ?? facts.context),
      }),
    eager: isOn(startUp, "--enforce-eager"),
    draft: /mtp/.test(String(speculation?.method ?? "")),
  });
}

/** Options of the slots for adapters, with their defaults. */
function adaptersOf(startUp: StartUp): Pick<VllmMemoryRequest, "adapters"> {
  if (!isOn(startUp, "--enable-lora")) return {};
  const slots = numberOf(startUp, "--max-loras") ?? numberOf(startUp, "--max-loras-per-batch") ?? 1;
  return { adapters: { slots, rank: numberOf(startUp, "--max-lora-rank") ?? 16 } };
}

const withoutVision = <Facts extends { readonly vision?: number }>({ vision, ...rest }: Facts) =>
  rest as Omit<Facts, "vision">;

/** Checks whether weights on one device fit into its fraction of memory. */
export const weightMemory: StartUpCheck = function* (startUp) {
  const { modelName, accelerator } = startUp;
  const memory = memoryOf(startUp);
  if (memory === undefined || accelerator === undefined) return;
  const left = memory.available + offloadedBytes(startUp);
  if (left > -missing(startUp, memory) || startUp.args.has("--kv-cache-memory-bytes")) return;
  const { tensor, pipeline } = startUp.parallelism;
  const total = memory.weights * tensor;
  const slots =
    memory.adapters === 0 ? "" : ` and ${gibText(memory.adapters)} of slots for adapters`;
  const device = accelerator.memoryGiB * gibibyte;
  const usable = memory.weights + memory.activations + memory.overhead + memory.available;
  const others = memory.activations + memory.overhead;
  const spare = device - others;
  const sizes = [2, 4, 8, 16, 32].map((factor) => tensor * factor);
  const needed = sizes.find((size) => (total / size) * 1.05 < spare * 0.9) ?? tensor * 32;
  const fraction = startUp.engine === "vllm" ? "--gpu-memory-utilization" : "--mem-fraction-static";
  const isFractionEnough = memory.weights + others < device * 0.95;
  yield {
    given: `load ${modelName} with ${gibText(memory.weights)} of weights${slots} on each ${accelerator.title}, which has ${gibText(Math.max(0, usable - others))} of its ${gibText(device)} available for weights and KV cache`,
    allowed:
      "weights that fit into the engine's share of device memory and leave space for the KV cache",
    fix:
      memory.adapters > 0 && memory.available + memory.adapters > 0
        ? "Lower --max-loras or --max-lora-rank, or divide the model over more devices."
        : isFractionEnough
          ? `Raise ${fraction} to at most 0.95, or divide the model over ${needed * pipeline} devices.`
          : `Divide the model over ${needed * pipeline} of these devices, or use devices with more memory or a checkpoint with fewer bits.`,
  };
};

/** Checks keys and values of one request with the longest context. SGLang starts with less. */
export const contextMemory: StartUpCheck = function* (startUp) {
  const { engine, modelName, facts, accelerator } = startUp;
  if (engine !== "vllm" || facts.encoder || isContextChosen(startUp)) return;
  if (accelerator?.platform !== "cuda" && accelerator?.platform !== "rocm") return;
  if (
    ["--kv-cache-memory-bytes", "--num-gpu-blocks-override"].some((each) => startUp.args.has(each))
  )
    return;
  const memory = memoryOf(startUp);
  if (memory === undefined || memory.bytesPerToken === 0) return;
  const available = memory.available + offloadedBytes(startUp);
  const spare = available + missing(startUp, memory);
  if (spare <= 0) return;
  const shared = numberOf(startUp, "--decode-context-parallel-size") ?? 1;
  const context = Math.min(contextOf(startUp) ?? facts.context, facts.context);
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
 * Least share of a context of a million tokens that must fit, because published recipes do not limit such contexts.
 */
const uncappedShare = 0.5;

const isUncapped = (startUp: StartUp): boolean =>
  contextOf(startUp) === undefined && startUp.facts.context >= 1_000_000;

const isQuantizedCache = (startUp: StartUp) =>
  (textOf(startUp, "--kv-cache-dtype") ?? "auto") !== "auto";

/** Bytes of one sequence, computed from the number of sequences that fit and from `available`, their memory. */
function bytesOfContext(memory: EngineMemory, context: number): number {
  return memory.available > 0 && memory.tokens > 0
    ? (memory.available * context) / memory.tokens
    : memory.bytesPerToken * context;
}

/** Bytes of weights that the engine keeps in host memory. */
const offloadedBytes = (startUp: StartUp) =>
  startUp.engine === "tensorrt-llm" ? 0 : (numberOf(startUp, "--cpu-offload-gb") ?? 0) * gibibyte;

/** Checks host memory for offloaded weights, keys and values. */
export const hostMemory: StartUpCheck = function* (startUp) {
  const { engine, memoryLimit, devices, parallelism } = startUp;
  const cache = engines[engine].hostCache;
  if (memoryLimit === undefined || cache === undefined) return;
  const ranks = devices || parallelism.tensor * parallelism.pipeline;
  const weights = offloadedBytes(startUp) * ranks;
  const cached = (numberOf(startUp, cache.option) ?? 0) * cache.unit;
  const parts: ReadonlyArray<readonly [option: string, bytes: number]> = [
    ["--cpu-offload-gb", weights],
    [cache.option, cache.isPerRank ? cached * ranks : cached],
  ];
  const needed = parts.reduce((sum, [, bytes]) => sum + bytes, 0);
  if (needed === 0 || needed < memoryLimit) return;
  // Another check, which needs no model, compares a CPU tier alone.
  if (cache.tier !== undefined && weights === 0) return;
  const options = parts.filter(([, bytes]) => bytes > 0).map(([option]) => option);
  yield {
    given: `store ${gibText(needed)} in host memory with ${options.join(" and ")}, but the memory limit is ${gibText(memoryLimit)}`,
    allowed: "less than the container's memory limit",
    fix: `Raise resources.limits.memory to ${Math.ceil(needed / gibibyte) + 8 * Math.max(1, ranks)}Gi, or offload less.`,
  };
};
