import type { AcceleratorType } from "../accelerators/accelerator.ts";
import { engines } from "../index.ts";
import type { EngineName } from "../interface/engine.ts";
import type { Division } from "../interface/serving-engine.ts";
import type { EngineMemory } from "../memory/memory.ts";
import type { ModelFacts } from "../models/model-facts.ts";
import type { EngineSettings } from "../spec/engine.ts";
import { deviceMemory } from "./device-memory.ts";

/** The inputs from which a division of a model is chosen. */
export interface DivisionTask {
  readonly engine: EngineName;
  readonly facts: ModelFacts;
  readonly accelerator: AcceleratorType;
  readonly settings: EngineSettings;
  /** Pods of a replica, if the role sets them. */
  readonly nodes: number | undefined;
  /** Whether the pods of a group can form one engine. */
  readonly formsGroups: boolean;
  /** Whether copies of the attention layers may be on several pods. Ray starts all of them on one pod. */
  readonly dividesCopies: boolean;
  /** Whether a division splits no head, expert or quantization block. */
  readonly isEven: (division: Division) => boolean;
}

/** A division, with the memory that it leaves free. */
export interface Fit {
  readonly division: Division;
  readonly memory: EngineMemory;
  /** Longest context that fits, in tokens; at most the context of the model. */
  readonly context: number;
  readonly fits: boolean;
}

/** Pods of the largest tried group. */
const mostNodes = 16;

/**
 * Returns the divisions that settings and accelerator allow, in order of devices: first devices of one node that share
 * each layer, then whole nodes that divide the layers.
 */
export function* divisions(task: DivisionTask): Generator<Division> {
  const { settings, accelerator, facts, nodes } = task;
  const { tensorParallel, pipelineParallel, dataParallel, expertParallel } = settings;
  const powers = [1, 2, 4, 8, 16, 32, 64].filter((size) => size <= accelerator.perNode);
  const experts = expertParallel === undefined ? [false, true] : [expertParallel];
  // A slice of a GPU cannot communicate with other slices.
  const isStaged = dataParallel === 1 || engines[task.engine].serving.stagesCopies;
  const most = accelerator.link === "none" || !isStaged ? 1 : mostNodes;
  const pipelines =
    pipelineParallel === undefined
      ? Array.from({ length: most }, (_, at) => at + 1)
      : [pipelineParallel];
  for (const pipeline of pipelines)
    for (const tensor of tensorParallel === undefined ? powers : [tensorParallel]) {
      const ranks = tensor * pipeline * dataParallel;
      const pods = nodes ?? Math.ceil(ranks / accelerator.perNode);
      // Slices of a GPU, and engines without groups, do not work over several pods.
      if (pods > 1 && (accelerator.link === "none" || !task.formsGroups)) continue;
      if (pods > 1 && dataParallel > 1 && !task.dividesCopies) continue;
      if (ranks % pods !== 0 || ranks / pods > accelerator.perNode) continue;
      // A group over several nodes uses whole nodes, unless the settings set tensorParallel.
      if (pods > 1 && tensorParallel === undefined && ranks / pods < accelerator.perNode) continue;
      // Groups divide the layers only if the devices of one node are not enough.
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

/** Returns how a model with this division fits into the devices' memory. */
export function fitOf(task: DivisionTask, division: Division): Fit {
  const { facts, settings, accelerator, engine } = task;
  const memory = deviceMemory(engine, facts, { settings, accelerator, division });
  const { maxModelLen } = settings;
  if (maxModelLen !== undefined)
    return { division, memory, context: maxModelLen, fits: memory.longest >= maxModelLen };
  const context =
    memory.longest < facts.context
      ? Math.floor((memory.longest * sureShare) / contextStep) * contextStep
      : facts.context;
  return { division, memory, context, fits: context >= Math.min(facts.context, leastContext) };
}

/** Usable share of the computed KV cache for a shortened context: engines report up to 10 % less than computed. */
const sureShare = 0.9;
const contextStep = 1_024;

/** Shortest planned context, in tokens, if the settings set no context and the model has a longer context. */
export const leastContext = 16_384;

/**
 * Returns the division that fits with the fewest devices; otherwise the division that is nearest to fitting. Undefined
 * if the settings allow no even division.
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
