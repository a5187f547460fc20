/** Memory of SGLang on a device. */

import type { Layout } from "../memory/layout.ts";
import {
  absorbedBytes,
  capacity,
  communicationBytes,
  type EngineMemory,
  type MemoryRequest,
  slotBytes,
} from "../memory/memory.ts";
import { weightBytesPerDevice } from "../memory/weights.ts";
import type { ModelFacts } from "../models/model-facts.ts";

export interface SglangMemoryRequest extends MemoryRequest {
  /** `--mem-fraction-static`. Default: SGLang's default for the device and the layout. */
  readonly memoryFraction?: number;
}

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
