/** Memory of a device that an engine has for keys and values: the parts that all engines share. */

import type { AcceleratorType } from "../accelerators/accelerator.ts";
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
import type { WeightOptions } from "./weights.ts";

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

export interface MemoryRequest extends WeightOptions {
  readonly layout: Layout;
  readonly device: DeviceMemory;
  /** Data type of the KV cache. Default: `auto`. */
  readonly keyValueType?: KeyValueType;
  /** `--max-model-len` or `--context-length`: longest context. Default: the context of the model. */
  readonly context?: number;
  /** `--max-num-batched-tokens` or `--chunked-prefill-size`: tokens of one step. Default: the default of the engine. */
  readonly stepTokens?: number;
  /** Slots for adapters. Default: none. */
  readonly adapters?: AdapterSlots;
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

export const slotBytes = (model: ModelFacts, { layout, adapters }: MemoryRequest): number =>
  adapters === undefined ? 0 : adapterBytes(model, layout, adapters);

/** Returns what fits into the bytes that are available for keys and values. */
export function capacity(
  model: ModelFacts,
  request: MemoryRequest,
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
export function absorbedBytes(model: ModelFacts, layout: Layout): number {
  const { attention, stages } = ranksOf(layout);
  const total = model.stack.reduce((sum, { mixer }) => {
    if (mixer?.kind !== "latent") return sum;
    return sum + mixer.keyValueRank * mixer.heads * (mixer.plainSize + mixer.valueSize);
  }, 0);
  return (total * 2) / attention / stages;
}

/** Bytes outside of PyTorch. */
export const communicationBytes = (layout: Layout, { linked = false }: DeviceMemory) => {
  const { tensor = 1, data = 1 } = layout;
  if (devicesOf(layout) === 1 || (tensor === 1 && data === 1)) return otherBytes.alone;
  return linked ? otherBytes.linked : otherBytes.unlinked;
};
