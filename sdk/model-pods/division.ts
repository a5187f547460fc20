import type { AcceleratorType } from "../accelerators/accelerator.ts";
import type { EngineName } from "../engines/index.ts";
import type { ModelFacts } from "../models/model-facts.ts";
import type { EngineSettings } from "../spec/engine.ts";
import type { EngineMemory } from "../start-up/memory.ts";
import { deviceMemory } from "./device-memory.ts";
import type { Division } from "./serving/serving-engine.ts";

/** What a division of a model is chosen from. */
export interface DivisionTask {
  readonly engine: EngineName;
  readonly facts: ModelFacts;
  readonly accelerator: AcceleratorType;
  readonly settings: EngineSettings;
  /** Pods of a replica, if the role sets them. */
  readonly nodes: number | undefined;
  /** Whether a division leaves no part of a head, expert or quantization block. */
  readonly isEven: (division: Division) => boolean;
}

/** A division, and the memory that it leaves. */
export interface Fit {
  readonly division: Division;
  readonly memory: EngineMemory;
  /** Longest context that fits, in tokens, at most the model's. */
  readonly context: number;
  readonly fits: boolean;
}

/** Pods of the largest group that is tried. */
const mostNodes = 16;

/**
 * Returns the divisions that settings and accelerator allow, the fewest devices first: devices of one node that share
 * each layer, then whole nodes that share the layers.
 */
export function* divisions(task: DivisionTask): Generator<Division> {
  const { settings, accelerator, facts, nodes } = task;
  const { tensorParallel, pipelineParallel, dataParallel, expertParallel } = settings;
  const powers = [1, 2, 4, 8, 16, 32, 64].filter((size) => size <= accelerator.perNode);
  const experts = expertParallel === undefined ? [false, true] : [expertParallel];
  // A slice of a GPU reaches no other slice.
  const most = accelerator.link === "none" ? 1 : mostNodes;
  const pipelines =
    pipelineParallel === undefined
      ? Array.from({ length: most }, (_, at) => at + 1)
      : [pipelineParallel];
  for (const pipeline of pipelines)
    for (const tensor of tensorParallel === undefined ? powers : [tensorParallel]) {
      const ranks = tensor * pipeline * dataParallel;
      const pods = nodes ?? Math.ceil(ranks / accelerator.perNode);
      if (ranks % pods !== 0 || ranks / pods > accelerator.perNode) continue;
      // A group over several nodes has whole nodes, unless the settings say otherwise.
      if (pods > 1 && tensorParallel === undefined && ranks / pods < accelerator.perNode) continue;
      // Groups share the layers only once the devices of a node are not enough.
      const isNodeFull = tensor * dataParallel >= (powers.at(-1) ?? 1);
      if (pipelineParallel === undefined && pipeline > 1 && !isNodeFull) continue;
      for (const whole of experts) {
        if (whole && facts.experts === undefined) continue;
        const division = {
          ...{ tensor, pipeline, data: dataParallel, expertParallel: whole },
          ...{ nodes: pods, devices: ranks / pods },
        };
        if (task.isEven(division)) {
          yield division;
          break;
        }
      }
    }
}

/** Returns how a model divided so fits into the devices' memory. */
export function fitOf(task: DivisionTask, division: Division): Fit {
  const { facts, settings, accelerator, engine } = task;
  const memory = deviceMemory({ facts, settings, accelerator, division, engine });
  const { maxModelLen } = settings;
  if (maxModelLen !== undefined)
    return { division, memory, context: maxModelLen, fits: memory.longest >= maxModelLen };
  const context =
    memory.longest < facts.context
      ? Math.floor((memory.longest * sureShare) / contextStep) * contextStep
      : facts.context;
  return { division, memory, context, fits: context >= Math.min(facts.context, leastContext) };
}

/** Share of the KV cache that a shortened context counts on: engines print up to a tenth less than the arithmetic. */
const sureShare = 0.9;
const contextStep = 1_024;

/** Shortest context in tokens that is planned if the settings name none and the model has a longer one. */
export const leastContext = 16_384;

/**
 * Returns the division with the fewest devices that fits; otherwise the one that was nearest to fit. Undefined if the
 * settings allow no even division.
 */
export function chosenFit(task: DivisionTask): Fit | undefined {
  let nearest: Fit | undefined;
  for (const division of divisions(task)) {
    const fit = fitOf(task, division);
    if (fit.fits) return fit;
    if (nearest === undefined || fit.memory.available > nearest.memory.available) nearest = fit;
  }
  return nearest;
}
