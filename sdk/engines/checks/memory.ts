/** Compares weights with the memory of devices and of the host. */

import {
  isOn,
  isOverridden,
  numberOf,
  optionText,
  type StartUp,
  type StartUpCheck,
} from "../interface/start-up.ts";
import { gibibyte, gibText } from "../memory/gibibytes.ts";
import type { Layout } from "../memory/layout.ts";
import { deviceOf, type EngineMemory, type MemoryRequest } from "../memory/memory.ts";
import type { ModelFacts } from "../models/model-facts.ts";
import { quantizationOnLoading } from "./capability.ts";
import { contextOf } from "./context.ts";

/** Share of a device's memory that the estimate may be wrong by before a configuration is refused. */
const tolerance = 0.03;

/** Estimates the memory of an engine. */
export interface MemoryEstimate {
  /** Returns the memory of a device; undefined if necessary facts are unknown. */
  of(startUp: StartUp): EngineMemory | undefined;
  /** Returns the missing bytes of a device above which a configuration is refused. */
  missing(startUp: StartUp, memory: EngineMemory): number;
}

/** Returns the bytes of a device by which an estimate may be wrong. */
export const toleratedBytes = ({ accelerator }: StartUp, share = tolerance): number =>
  (accelerator?.memoryGiB ?? 0) * gibibyte * share;

/** Returns a function that computes once for each start. */
export function oncePerStart<T>(compute: (startUp: StartUp) => T): (startUp: StartUp) => T {
  const computed = new WeakMap<StartUp, { readonly value: T }>();
  return (startUp) => {
    const known = computed.get(startUp) ?? { value: compute(startUp) };
    computed.set(startUp, known);
    return known.value;
  };
}

/** Inputs of an estimate that depend on the engine. */
interface EstimateInputs {
  readonly contextOption: string;
  /** Ranks of one replica. */
  readonly ranks: number;
  readonly layout: Layout;
}

/** Returns the model and the request of an estimate; undefined if necessary facts are unknown. */
export function memoryRequest(
  startUp: StartUp,
  { contextOption, ranks, layout }: EstimateInputs,
): { readonly model: ModelFacts; readonly request: MemoryRequest } | undefined {
  const { accelerator, facts, devices, pods } = startUp;
  if (accelerator === undefined || isOverridden(startUp)) return undefined;
  if (!Number.isFinite(accelerator.memoryGiB)) return undefined;
  // Another rule checks several engines in one pod, and ranks without a device.
  if (devices > 0 && ranks > devices * pods) return undefined;
  const named = optionText(startUp, "--quantization");
  const onLoading = quantizationOnLoading(startUp);
  const isQuantized = Object.keys(facts.weights.quantized).length > 0;
  if (named !== undefined && !isQuantized && onLoading === undefined) return undefined;
  const context = contextOf(startUp, contextOption);
  const type = optionText(startUp, "--kv-cache-dtype") ?? "auto";
  const model = isOn(startUp, "--language-model-only") ? withoutVision(facts) : facts;
  const request = {
    layout,
    device: deviceOf(accelerator),
    keyValueType: type.startsWith("fp8") ? ("fp8" as const) : ("auto" as const),
    ...(context !== undefined && { context }),
    ...adaptersOf(startUp),
    ...(onLoading !== undefined && { quantizedOnLoading: onLoading.bytes }),
  };
  return { model, request };
}

/** Options of the slots for adapters, with their defaults. */
function adaptersOf(startUp: StartUp): Pick<MemoryRequest, "adapters"> {
  if (!isOn(startUp, "--enable-lora")) return {};
  const slots = numberOf(startUp, "--max-loras") ?? numberOf(startUp, "--max-loras-per-batch") ?? 1;
  return { adapters: { slots, rank: numberOf(startUp, "--max-lora-rank") ?? 16 } };
}

const withoutVision = <Facts extends { readonly vision?: number }>({ vision, ...rest }: Facts) =>
  rest as Omit<Facts, "vision">;

/** Checks whether weights on one device fit into its fraction of memory. */
export const weights = (estimate: MemoryEstimate): StartUpCheck =>
  function* (startUp) {
    const { engine, modelName, accelerator } = startUp;
    const memory = estimate.of(startUp);
    if (memory === undefined || accelerator === undefined) return;
    const left = memory.available + offloadedBytes(startUp);
    if (left > -estimate.missing(startUp, memory) || startUp.args.has("--kv-cache-memory-bytes"))
      return;
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
    const isFractionEnough = memory.weights + others < device * 0.95;
    yield {
      given: `load ${modelName} with ${gibText(memory.weights)} of weights${slots} on each ${accelerator.title}, which has ${gibText(Math.max(0, usable - others))} of its ${gibText(device)} available for weights and KV cache`,
      allowed:
        "weights that fit into the engine's share of device memory and leave space for the KV cache",
      fix:
        memory.adapters > 0 && memory.available + memory.adapters > 0
          ? "Lower --max-loras or --max-lora-rank, or divide the model over more devices."
          : isFractionEnough
            ? `Raise ${engine.memoryOption} to at most 0.95, or divide the model over ${needed * pipeline} devices.`
            : `Divide the model over ${needed * pipeline} of these devices, or use devices with more memory or a checkpoint with fewer bits.`,
    };
  };

/** Bytes of weights that the engine keeps in host memory. */
export const offloadedBytes = (startUp: StartUp): number =>
  (numberOf(startUp, "--cpu-offload-gb") ?? 0) * gibibyte;

/** Checks host memory for offloaded weights, keys and values. */
export const hostMemory: StartUpCheck = function* (startUp) {
  const { engine, memoryLimit, devices, parallelism } = startUp;
  const cache = engine.hostCache;
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
