import { engines } from "../index.ts";
import type { EngineName } from "../interface/engine.ts";
import type { MemoryTask } from "../interface/serving-engine.ts";
import type { AdapterSlots } from "../memory/adapter-memory.ts";
import { deviceOf, type EngineMemory } from "../memory/memory.ts";
import type { ModelFacts } from "../models/model-facts.ts";
import type { EngineSettings } from "../spec/engine.ts";

/** Returns the memory of one device, for a model with this division. */
export function deviceMemory(
  engine: EngineName,
  facts: ModelFacts,
  { settings, accelerator, division }: Omit<MemoryTask, "request">,
): EngineMemory {
  const request = {
    device: deviceOf(accelerator),
    keyValueType: settings.kvCacheDtype,
    ...(settings.maxModelLen !== undefined && { context: settings.maxModelLen }),
    ...(settings.quantization === "fp8" && { quantizedOnLoading: 1 }),
    ...(settings.lora !== undefined && { adapters: slotsOf(settings.lora) }),
    draft: settings.speculative?.method === "mtp",
  };
  return engines[engine].serving.memory(facts, { request, settings, accelerator, division });
}

/** Slots for adapters of an engine, one for each adapter that may be loaded. Default: one for each listed adapter. */
export const slotsOf = ({
  adapters,
  maxLoaded = Math.max(1, adapters.length),
  maxRank,
}: NonNullable<EngineSettings["lora"]>): AdapterSlots => ({ slots: maxLoaded, rank: maxRank });
