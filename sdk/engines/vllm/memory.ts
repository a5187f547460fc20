/** Memory of vLLM on a device. */

import { gibibyte } from "../memory/gibibytes.ts";
import { type Layout, ranksOf } from "../memory/layout.ts";
import {
  absorbedBytes,
  capacity,
  communicationBytes,
  type DeviceMemory,
  type EngineMemory,
  type MemoryRequest,
  slotBytes,
} from "../memory/memory.ts";
import { weightBytesPerDevice } from "../memory/weights.ts";
import type { ModelFacts } from "../models/model-facts.ts";
import { defaultSequences } from "./limits.ts";

export interface VllmMemoryRequest extends MemoryRequest {
  /** Version of vLLM, for its defaults and its profile. Default: the newest known version, 0.24. */
  readonly version?: string;
  /** `--gpu-memory-utilization`. Default: 0.92, or 0.9 before vLLM 0.22. */
  readonly utilization?: number;
  /** `--max-num-seqs`. Default: 1,024 for devices of at least 70 GiB other than A100, otherwise 256. */
  readonly sequences?: number;
  /** `--enforce-eager`: whether the engine captures no CUDA graphs. Default: false. */
  readonly eager?: boolean;
}

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

/** Copies of a state for each sequence, because vLLM also caches prefixes of linear layers. */
const vllmStates = 2;

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
