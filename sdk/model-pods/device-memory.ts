import type { AcceleratorType } from "../accelerators/accelerator.ts";
import type { EngineName } from "../engines/index.ts";
import { type ModelFacts, weightBytes } from "../models/model-facts.ts";
import type { EngineSettings } from "../spec/engine.ts";
import type { Division } from "./serving/serving-engine.ts";

/** How the memory of one device is used. Sizes are in bytes. */
export interface DeviceMemory {
  readonly weights: number;
  /** What is left for the KV cache; negative if the weights do not fit. */
  readonly free: number;
  /** KV cache of one token on one device. */
  readonly perToken: number;
  /** Tokens of the KV cache of one engine. */
  readonly tokens: number;
  readonly longestContext: number;
}

export interface MemoryTask {
  readonly facts: ModelFacts;
  readonly settings: EngineSettings;
  readonly accelerator: AcceleratorType;
  readonly division: Division;
  readonly engine: EngineName;
}

export function deviceMemory({ facts, settings, accelerator, division }: MemoryTask): DeviceMemory {
  const ranks = division.tensor * division.pipeline;
  const weights = weightBytes(facts) / ranks;
  const { attention } = facts;
  const width =
    attention.kind === "latent"
      ? attention.keyValueRank + attention.rotarySize
      : 2 * Math.max(1, attention.keyValueHeads / division.tensor) * attention.headSize;
  const perToken =
    (width * (settings.kvCacheDtype === "fp8" ? 1 : 2) * facts.layers) / division.pipeline;
  const free =
    accelerator.memoryGiB * 2 ** 30 * (settings.memoryFraction ?? 0.9) - weights - 3 * 2 ** 30;
  const tokens = Math.max(0, Math.floor(free / perToken));
  return { weights, free, perToken, tokens, longestContext: Math.min(tokens, facts.context) };
}
