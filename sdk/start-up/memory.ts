/** Memory that an engine has for keys and values. */

import type { AcceleratorType } from "../accelerators/accelerator.ts";
import { defaultSequences } from "../engines/vllm-limits.ts";
import type { ModelFacts } from "../models/model-facts.ts";
import { type AdapterSlots, adapterBytes } from "./adapter-memory.ts";
import { gibibyte } from "./gibibytes.ts";
import {
  type KeyValueOptions,
  type KeyValueType,
  keyValueBytesPerSequence,
  keyValueBytesPerToken,
} from "./kv-cache.ts";
import { devicesOf, type Layout, ranksOf } from "./layout.ts";
import { type WeightOptions, weightBytesPerDevice } from "./weights.ts";

/** Device with the values that its driver reports. */
export interface DeviceMemory {
  /** Bytes that the driver reports as total. */
  readonly bytes: number;
  /** Whether devices of a node read one another's memory, as over NVLink. Default: false. */
  readonly linked?: boolean;
  /** CUDA compute capability, for example 9 for H100 and 8.9 for L40S. Undefined for devices of other makers. */
  readonly capability?: number;
}

/** Returns the memory of an accelerator. */
export const deviceOf = ({ memoryGiB, link, capability }: AcceleratorType): DeviceMemory => ({
  bytes: memoryGiB * gibibyte,
  linked: link !== "pcie" && link !== "none",
  ...(capability && { capability: capability[0] + capability[1] / 10 }),
});

interface SharedRequest extends WeightOptions {
  readonly layout: Layout;
  readonly device: DeviceMemory;
  /** Data type of the KV cache. Default: `auto`. */
  readonly keyValueType?: KeyValueType;
  /** `--max-model-len` or `--context-length`: longest context. Default: the context of the model. */
  readonly context?: number;
  /** `--max-num-batched-tokens` or `--chunked-prefill-size`: tokens of one step. Default: the engine's. */
  readonly stepTokens?: number;
  /** Slots for adapters. Default: none. */
  readonly adapters?: AdapterSlots;
}

export interface VllmMemoryRequest extends SharedRequest {
  /** Version of vLLM, for its defaults and its profile. Default: the newest known version, 0.24. */
  readonly version?: string;
  /** `--gpu-memory-utilization`. Default: 0.92, or 0.9 before vLLM 0.22. */
  readonly utilization?: number;
  /** `--max-num-seqs`. Default: 1,024 for devices of at least 70 GiB other than A100, otherwise 256. */
  readonly sequences?: number;
  /** `--enforce-eager`: whether the engine captures no CUDA graphs. Default: false. */
  readonly eager?: boolean;
}

export interface SglangMemoryRequest extends SharedRequest {
  /** `--mem-fraction-static`. Default: SGLang's default for the device and the layout. */
  readonly memoryFraction?: number;
}

/** Memory of the device with the least free memory, in bytes. */
export interface EngineMemory {
  readonly weights: number;
  /** Peak of activations. */
  readonly activations: number;
  /** CUDA context, communication buffers, graphs and slots for adapters. */
  readonly overhead: number;
  /** The part of `overhead` for adapters. */
  readonly adapters: number;
  /** Bytes for keys and values; negative if the model does not fit. */
  readonly available: number;
  /** Bytes of one more token of a long sequence. */
  readonly bytesPerToken: number;
  /** Tokens of all sequences together at the longest context, as engines log them; 0 if nothing fits. */
  readonly tokens: number;
  /** Longest sequence that fits alone, in tokens; at most the context of the model. */
  readonly longest: number;
  /** Returns the number of concurrent sequences of a length that fit. */
  readonly concurrency: (tokens: number) => number;
}

/**
 * Bytes outside PyTorch: the CUDA context on one device, and buffers of NCCL and of the all-reduce over linked
 * devices. Measured by llm-d-planner 0.3.3 (PyPI) for vLLM 0.19 on H100: 0.27 GiB and 2.10 GiB. Without links: 0.25
 * GiB in vllm-project/vllm#13061.
 */
const otherBytes = {
  alone: 0.27 * gibibyte,
  linked: 2.1 * gibibyte,
  unlinked: 0.3 * gibibyte,
} as const;

/** Profile of the largest images: 1.59 and 1.66 GiB in noonghunna/club-3090#1087 and #1139, for Qwen 3.8. */
const imageBytes = 1.6 * gibibyte;

/**
 * Bytes of a logit in the sampler, including all copies. llm-d-planner's reports on H100 contain 1.89 GiB for 1,024
 * sequences of 128,256 logits in vLLM 0.19, and 4.76 GiB in 0.11, which sorts them.
 */
const samplerBytes = { current: 15.4, sorting: 38.9 } as const;

/**
 * llm-d-planner's reports contain 64.38 and 13.47 GiB of weights for gpt-oss, which implies a hidden size of 3,072,
 * not 2,880.
 */
const expertStep = 256;

/** Returns the minor version of vLLM 0.x; the newest one for an unknown version. */
const minorOf = (version: string | undefined) => {
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(version ?? "") ?? [];
  return major === "0" && minor !== undefined ? Number(minor) : 24;
};

/** Whether vLLM has larger defaults on a device. It excludes A100 by its name. */
export const isLargeDevice = ({ bytes, capability }: DeviceMemory): boolean =>
  bytes >= 70 * gibibyte && capability !== 8;

/** Returns the memory of vLLM. */
export function vllmMemory(model: ModelFacts, request: VllmMemoryRequest): EngineMemory {
  const { device, layout, eager = false } = request;
  const minor = minorOf(request.version);
  // aiconfigurator 0.12 lists the default by version.
  const { utilization = minor < 22 ? 0.9 : 0.92 } = request;
  const isLarge = isLargeDevice(device);
  const { sequences = defaultSequences[isLarge ? "large" : "others"] } = request;
  const { stepTokens = isLarge ? 8192 : 2048 } = request;
  const weights =
    weightBytesPerDevice(model, layout, { expertStep, ...request }) + absorbedBytes(model, layout);
  const activations = activationBytes(model, layout, {
    ...{ stepTokens, sequences },
    // Measured for 0.6 to 0.11 and for 0.19; the version of the change is an assumption.
    logit: minor < 12 ? samplerBytes.sorting : samplerBytes.current,
  });
  // vLLM counts the memory of CUDA graphs as used since 0.21.
  const graphs = eager || minor < 21 ? 0 : graphBytes(model, layout);
  const shared = model.experts === undefined ? { ...layout, data: 1 } : layout;
  const adapters = slotBytes(model, request);
  const overhead = communicationBytes(shared, device) + graphs + adapters;
  const available = device.bytes * utilization - weights - activations - overhead;
  return {
    ...{ weights, activations, overhead, adapters },
    ...capacity(model, { ...request, stepTokens }, available, vllmStates),
  };
}

const slotBytes = (model: ModelFacts, { layout, adapters }: SharedRequest): number =>
  adapters === undefined ? 0 : adapterBytes(model, layout, adapters);

/** Copies of a state for each sequence, because vLLM also caches prefixes of linear layers. */
const vllmStates = 2;

/**
 * Returns SGLang's default of `--mem-fraction-static` for a device, as aiconfigurator 0.12 describes it for SGLang
 * 0.5.16. The remaining memory is for a step's tokens, CUDA graphs and the parallel group, and is at least 10 GiB on
 * large devices.
 */
function defaultFraction(bytes: number, layout: Layout): number {
  const { tensor = 1, pipeline = 1, attentionCopies = 1 } = layout;
  const mib = bytes / 1024 ** 2;
  const [, step, few, many] = sglangSteps.find(([limit]) => mib < limit * 1024) ?? largestStep;
  const graphs = tensor < 4 ? few : many;
  const padding = attentionCopies === 1 ? 0 : graphs * attentionCopies * (graphs > 300 ? 4.5 : 3);
  const reserved = 512 + 1.5 * step + tensor * pipeline * 128 + graphs * 2 + padding;
  return 1 - Math.max(reserved, mib > 60 * 1024 ? 10 * 1024 : 0) / mib;
}

type SglangStep = readonly [gib: number, step: number, graphsOfFew: number, graphsOfMany: number];

/**
 * Tokens of a step, and the largest batch of CUDA graphs for fewer than 4 devices and for 4 or more, by device memory.
 */
const sglangSteps: readonly SglangStep[] = [
  [20, 2048, 8, 8],
  [35, 2048, 24, 80],
  [60, 4096, 32, 160],
  [160, 8192, 256, 512],
];
const largestStep: SglangStep = [Number.POSITIVE_INFINITY, 16_384, 512, 512];

/** Returns the memory of SGLang: its fraction contains weights, keys and values; everything else is outside of it. */
export function sglangMemory(model: ModelFacts, request: SglangMemoryRequest): EngineMemory {
  const { device, layout, stepTokens = 8192 } = request;
  const fraction = request.memoryFraction ?? defaultFraction(device.bytes, layout);
  const weights = weightBytesPerDevice(model, layout, request) + absorbedBytes(model, layout);
  const adapters = slotBytes(model, request);
  const overhead = communicationBytes(layout, device);
  // The fraction applies to the memory that is free when the engine starts.
  const free = device.bytes - overhead;
  const available = free * fraction - weights - adapters;
  const activations = free * (1 - fraction);
  return {
    ...{ weights, activations, adapters, overhead: overhead + adapters },
    ...capacity(model, { ...request, stepTokens }, available),
  };
}

function capacity(
  model: ModelFacts,
  request: SharedRequest,
  available: number,
  stateCopies = 1,
): Omit<EngineMemory, "weights" | "activations" | "overhead" | "adapters"> {
  const { layout, keyValueType = "auto", stepTokens = 0, draft = false } = request;
  const options: KeyValueOptions = { type: keyValueType, stepTokens, stateCopies, draft };
  const sequence = (tokens: number) => keyValueBytesPerSequence(model, layout, tokens, options);
  const context = Math.min(request.context ?? model.context, model.context);
  const concurrency = (tokens: number) => {
    const bytes = sequence(tokens);
    return available <= 0 || bytes === 0 ? 0 : available / bytes;
  };
  return {
    available,
    bytesPerToken: keyValueBytesPerToken(model, layout, options),
    tokens: Math.floor(concurrency(context) * context),
    longest: longestFitting(context, (tokens) => sequence(tokens) <= available),
    concurrency: (tokens) => Math.floor(concurrency(tokens)),
  };
}

/** Returns the largest number of tokens up to a limit that fits; 0 if not even one token fits. */
function longestFitting(limit: number, fits: (tokens: number) => boolean): number {
  let [low, high] = [0, limit];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Copies of the second projections of latent attention, which engines keep in 16 bits for decoding. */
function absorbedBytes(model: ModelFacts, layout: Layout): number {
  const { attention, stages } = ranksOf(layout);
  const total = model.stack.reduce((sum, { mixer }) => {
    if (mixer?.kind !== "latent") return sum;
    return sum + mixer.keyValueRank * mixer.heads * (mixer.plainSize + mixer.valueSize);
  }, 0);
  return (total * 2) / attention / stages;
}

/** Peak of the profiled step: the sampler, or the widest feed-forward layer with its inputs. */
function activationBytes(
  model: ModelFacts,
  layout: Layout,
  { stepTokens, sequences, logit }: { stepTokens: number; sequences: number; logit: number },
): number {
  const { dense, experts } = ranksOf(layout);
  const sampler = Math.min(sequences, stepTokens) * model.vocabulary * logit;
  const { hidden, experts: routed } = model;
  const widest = Math.max(
    ((model.dense ?? 0) * 3) / dense,
    routed === undefined ? 0 : (routed.width * 3 * routed.active) / experts,
  );
  const forward = stepTokens * (widest + 3 * hidden) * 2 + gatheredBytes(model, layout, stepTokens);
  return Math.max(sampler, forward, model.vision === undefined ? 0 : imageBytes);
}

/** Tokens that the experts of vLLM compute together: VLLM_FUSED_MOE_CHUNK_SIZE, up to 0.11. */
const expertTokens = 32_768;

/**
 * Buffers of experts that are shared by copies of the attention layers: each rank gathers the tokens of all copies,
 * writes its part of their results, and needs the inputs and results of both projections for each token and expert, in
 * 16 bits, and their quantized inputs. Within 2 % of vllm-project/recipes#12: 48.66 and 55.65 GiB for keys and values.
 */
function gatheredBytes(model: ModelFacts, { data = 1 }: Layout, stepTokens: number): number {
  const { hidden, experts, weights } = model;
  if (data === 1 || experts === undefined) return 0;
  const gathered = stepTokens * data;
  const computed = Math.min(gathered, expertTokens);
  const { active, width } = experts;
  const quantized =
    (weights.quantized.experts?.bits ?? 16) === 8 ? computed * (hidden + active * width) : 0;
  const projections = computed * active * (Math.max(2 * width, hidden) + width) * 2;
  return gathered * hidden * 4 + projections + quantized;
}

/** CUDA graphs: their inputs and outputs at the captured batch sizes, with about the same size for all models. */
const graphBytes = (model: ModelFacts, layout: Layout) =>
  (0.1 * gibibyte * model.layers) / 32 / (layout.pipeline ?? 1);

const communicationBytes = (layout: Layout, { linked = false }: DeviceMemory) => {
  const { tensor = 1, data = 1 } = layout;
  if (devicesOf(layout) === 1 || (tensor === 1 && data === 1)) return otherBytes.alone;
  return linked ? otherBytes.linked : otherBytes.unlinked;
};
