import { type AcceleratorName, acceleratorNames, acceleratorTypes } from "../accelerators/index.ts";
import { orList, sentence } from "../errors.ts";
import type { Finding } from "../invariant.ts";
import { similarModels } from "../models/similar-models.ts";
import { gibText } from "../start-up/gibibytes.ts";
import { chosenFit, type DivisionTask, divisions, type Fit } from "./division.ts";

/** Reasons why a model cannot be planned, with the numbers and the nearest configuration that works. */

export function unknownModel(name: string): Finding {
  const similar = similarModels(name);
  const question = similar.length > 0 ? `Did you mean ${orList(similar)}? If not, set` : "Set";
  return {
    path: ["name"],
    given: `is ${JSON.stringify(name)}, which is not in the table of known models`,
    allowed: "a model of docs/models-and-accelerators.md, or any model with model.config",
    fix: `${question} model.config to the contents of the model's config.json.`,
  };
}

export const longerThanModel = (given: number, name: string, context: number): Finding => ({
  path: ["maxModelLen"],
  given: `is ${given}, but ${name} supports ${context} tokens`,
  allowed: `at most ${context} tokens`,
  fix: "Lower maxModelLen, or scale the model's positions with --hf-overrides in engine.args.",
});

export function noEvenDivision(task: DivisionTask, model: string): Finding {
  const free = { ...task.settings, tensorParallel: undefined, pipelineParallel: undefined };
  const others = [...divisions({ ...task, settings: free })].map(({ tensor }) => tensor);
  const sizes = [...new Set(others)].sort((a, b) => a - b);
  return {
    path: ["tensorParallel"],
    given: `is ${task.settings.tensorParallel ?? "left out"}, but ${model} does not divide evenly over that number of devices`,
    allowed: sizes.length === 0 ? "no size on this accelerator" : `a size of ${sizes.join(", ")}`,
    fix: "Correct the parallel sizes, or remove them.",
  };
}

export function doesNotFit(task: DivisionTask, fit: Fit, model: string): Finding {
  const { accelerator, settings, facts } = task;
  const { memory, division } = fit;
  const ranks = division.tensor * division.pipeline * division.data;
  const weights = `${model} needs ${gibText(memory.weights)} of weights on each of ${ranks} ${accelerator.title}`;
  const context = settings.maxModelLen ?? facts.context;
  const given =
    memory.available <= 0
      ? `${weights}, which have ${accelerator.memoryGiB.toFixed(1)} GiB`
      : `${weights}, which leaves ${gibText(memory.available)} for a KV cache of ${memory.tokens} tokens, but a context of ${context} tokens needs ${gibText(context * memory.bytesPerToken)}`;
  return {
    path: [
      memory.available > 0 && settings.maxModelLen !== undefined ? "maxModelLen" : "tensorParallel",
    ],
    given,
    allowed: "weights and one request with the longest context that fit into device memory",
    fix: nearest(task, fit),
  };
}

/**
 * Returns the smallest change that fits: a shorter context, more devices of the same kind, or a larger accelerator.
 */
function nearest(task: DivisionTask, { memory }: Fit): string {
  const free = {
    ...task.settings,
    tensorParallel: undefined,
    pipelineParallel: undefined,
    expertParallel: undefined,
  };
  const more = chosenFit({ ...task, settings: free, nodes: undefined });
  const changes: string[] = [];
  if (memory.longest >= 1_024) changes.push(`set maxModelLen to at most ${memory.longest}`);
  if (more?.fits === true) {
    const { tensor, pipeline, nodes } = more.division;
    changes.push(
      `set tensorParallel to ${tensor}${pipeline > 1 ? `, pipelineParallel to ${pipeline}` : ""}${nodes > 1 ? ` over ${nodes} nodes` : ""}, or remove the sizes`,
    );
  }
  const larger = acceleratorNames
    .filter((name) => acceleratorTypes[name].platform === task.accelerator.platform)
    .filter((name) => acceleratorTypes[name].link !== "none")
    .filter((name) => acceleratorTypes[name].memoryGiB > task.accelerator.memoryGiB * 1.05)
    .sort((a, b) => acceleratorTypes[a].memoryGiB - acceleratorTypes[b].memoryGiB)
    .find(
      (name: AcceleratorName) => chosenFit({ ...task, accelerator: acceleratorTypes[name] })?.fits,
    );
  if (larger !== undefined) changes.push(`use accelerator ${larger}`);
  const text = changes.join("; or ");
  return text === "" ? "Use a smaller model or one with quantized weights." : sentence(text);
}
