import type { AcceleratorType } from "../accelerators/accelerator.ts";
import type { EngineName } from "../engines/index.ts";
import type { ModelFacts } from "../models/model-facts.ts";
import type { EngineSettings } from "../spec/engine.ts";
import type { AdapterSlots } from "../start-up/adapter-memory.ts";
import type { Layout } from "../start-up/layout.ts";
import { deviceOf, type EngineMemory, sglangMemory, vllmMemory } from "../start-up/memory.ts";
import { servingEngines } from "./serving/index.ts";
import type { Division } from "./serving/serving-engine.ts";

export interface MemoryTask {
  readonly facts: ModelFacts;
  readonly settings: EngineSettings;
  readonly accelerator: AcceleratorType;
  readonly division: Division;
  readonly engine: EngineName;
}

/** Returns the memory of one device, for a model with this division. */
export function deviceMemory(task: MemoryTask): EngineMemory {
  const { facts, settings, accelerator, division, engine } = task;
  const request = {
    layout: layoutOf(engine, division),
    device: deviceOf(accelerator),
    keyValueType: settings.kvCacheDtype,
    ...(settings.maxModelLen !== undefined && { context: settings.maxModelLen }),
    ...(settings.quantization === "fp8" && { quantizedOnLoading: 1 }),
    ...(settings.lora !== undefined && { adapters: slotsOf(settings.lora) }),
    draft: settings.speculative?.method === "mtp",
  };
  const fraction = settings.memoryFraction;
  if (engine === "sglang")
    return sglangMemory(facts, {
      ...request,
      ...(fraction !== undefined && { memoryFraction: fraction }),
    });
  return vllmMemory(facts, {
    ...request,
    utilization: fraction ?? servingEngines[engine].memoryFraction ?? 0.9,
    ...(engine === "vllm" && settings.version !== undefined && { version: settings.version }),
    ...(settings.maxNumSeqs !== undefined && { sequences: settings.maxNumSeqs }),
  });
}

/** Slots for adapters of an engine, one for each adapter that may be loaded. Default: one for each listed adapter. */
export const slotsOf = ({
  adapters,
  maxLoaded = Math.max(1, adapters.length),
  maxRank,
}: NonNullable<EngineSettings["lora"]>): AdapterSlots => ({ slots: maxLoaded, rank: maxRank });

/** SGLang's copies of the attention layers are inside its tensor parallel group. */
const layoutOf = (engine: EngineName, division: Division): Layout => {
  const { tensor, pipeline, data, expertParallel } = division;
  return engine === "sglang"
    ? { tensor: tensor * data, pipeline, attentionCopies: data, expertParallel }
    : { tensor, pipeline, data, expertParallel };
};
