import { andList, orList, sentence } from "../../errors.ts";
import type { Finding } from "../../invariant.ts";
import {
  type AcceleratorName,
  acceleratorNames,
  acceleratorTypes,
  usualAccelerators,
} from "../accelerators/index.ts";
import { gibText } from "../memory/gibibytes.ts";
import { similarModels } from "../models/similar-models.ts";
import { slotsOf } from "./device-memory.ts";
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
  const set = sizesOf(task);
  return {
    path: ["tensorParallel"],
    given: `is ${task.settings.tensorParallel ?? "left out"}, but ${model} does not divide evenly over ${set === "" ? "that number of devices" : `devices with ${set}`}`,
    allowed: sizes.length === 0 ? "no size on this accelerator" : `a size of ${sizes.join(", ")}`,
    fix: removedSizes(task) ?? "No parallel size works on this accelerator. Use another one.",
  };
}

/** Sizes that a user may remove, in the order in which they are tried. */
const removable = [
  ["tensorParallel"],
  ["pipelineParallel"],
  ["nodeCount"],
  ["expertParallel"],
  ["dataParallel"],
  ["tensorParallel", "pipelineParallel"],
  ["tensorParallel", "nodeCount"],
  ["pipelineParallel", "nodeCount"],
  ["tensorParallel", "pipelineParallel", "nodeCount"],
  ["tensorParallel", "pipelineParallel", "nodeCount", "expertParallel", "dataParallel"],
] as const;

type Size = (typeof removable)[number][number];

/** Returns the size that a service sets; undefined for a default. */
function sizeOf({ settings, nodes }: DivisionTask, size: Size): number | boolean | undefined {
  if (size === "nodeCount") return nodes;
  return size === "dataParallel" && settings.dataParallel === 1 ? undefined : settings[size];
}

const sizesOf = (task: DivisionTask): string =>
  (["pipelineParallel", "dataParallel", "expertParallel", "nodeCount"] as const)
    .flatMap((size) => {
      const value = sizeOf(task, size);
      return value === undefined ? [] : [`${size} ${value}`];
    })
    .join(", ");

/** Returns the smallest set of sizes to remove so that the model divides evenly, as a sentence. */
function removedSizes(task: DivisionTask): string | undefined {
  for (const sizes of removable) {
    const set = sizes.filter((size) => sizeOf(task, size) !== undefined);
    if (set.length === 0) continue;
    const settings = { ...task.settings };
    for (const size of set)
      if (size === "dataParallel") settings.dataParallel = 1;
      else if (size !== "nodeCount") settings[size] = undefined;
    const nodes = set.includes("nodeCount") ? undefined : task.nodes;
    if (!divisions({ ...task, settings, nodes }).next().done) return `Remove ${andList(set)}.`;
  }
  return undefined;
}

export function doesNotFit(task: DivisionTask, fit: Fit, model: string): Finding {
  const { accelerator, settings, facts } = task;
  const { memory, division } = fit;
  const ranks = division.tensor * division.pipeline * division.data;
  const slots =
    memory.adapters === 0 ? "" : ` and ${gibText(memory.adapters)} of slots for adapters`;
  const weights = `${model} needs ${gibText(memory.weights)} of weights${slots} on each of ${ranks} ${accelerator.title}`;
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

/** Share by which the computed context may be too long: 1 % in the measured cases. */
const estimateError = 0.03;
const contextStep = 1_024;

/** Returns the largest number of adapter slots that fits; undefined if that number is not lower, or if no slot fits. */
function fewerAdapters(task: DivisionTask): number | undefined {
  const { lora } = task.settings;
  if (lora === undefined) return undefined;
  const fits = (maxLoaded: number) =>
    chosenFit({ ...task, settings: { ...task.settings, lora: { ...lora, maxLoaded } } })?.fits ===
    true;
  let [low, high] = [0, slotsOf(lora).slots - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low > 0 && fits(low) ? low : undefined;
}

/**
 * Returns the smallest change that fits: a shorter context, more devices of the same kind, or a larger accelerator.
 */
function nearest(task: DivisionTask, { memory }: Fit): string {
  const changes: string[] = [];
  const loaded = fewerAdapters(task);
  if (loaded !== undefined) changes.push(`set lora.maxLoaded to ${loaded}`);
  const context = Math.floor((memory.longest * (1 - estimateError)) / contextStep) * contextStep;
  if (context >= contextStep) changes.push(`set maxModelLen to at most ${context}`);
  const free = { ...task.settings, tensorParallel: undefined, pipelineParallel: undefined };
  const more = chosenFit({ ...task, settings: free, nodes: undefined });
  if (more?.fits === true) {
    const { tensor, pipeline, nodes } = more.division;
    const sizes = [
      `tensorParallel to ${tensor}`,
      ...(pipeline > 1 || task.settings.pipelineParallel !== undefined
        ? [`pipelineParallel to ${pipeline}`]
        : []),
      ...(task.nodes !== undefined && task.nodes !== nodes ? [`nodeCount to ${nodes}`] : []),
    ];
    const over = task.nodes === undefined && nodes > 1 ? ` over ${nodes} nodes` : "";
    changes.push(
      `set ${sizes.join(", ")}${over}, or remove the sizes${task.nodes === undefined ? "" : " and nodeCount"}`,
    );
  }
  const larger = largerAccelerator(task);
  if (larger !== undefined) changes.push(`use accelerator ${larger}`);
  const text = changes.join("; or ");
  return text === ""
    ? "No division and no accelerator of the table fits. Use a smaller model, or one with quantized weights."
    : sentence(text);
}

/**
 * Maximum number of devices for which tensor parallel is advised without a direct link: each layer ends with an
 * exchange.
 */
const mostOverPcie = 2;

/**
 * Returns the accelerator with more memory that an engineer would buy for the model. Prefers usual accelerators, and
 * then the accelerator with the least memory. If the ranks exchange much, it has a direct link between its devices.
 */
function largerAccelerator(task: DivisionTask): AcceleratorName | undefined {
  const { platform, memoryGiB, link } = task.accelerator;
  const fits = (name: AcceleratorName): boolean => {
    const accelerator = acceleratorTypes[name];
    const fit = chosenFit({ ...task, accelerator });
    if (fit?.fits !== true) return false;
    const { tensor } = fit.division;
    return (
      accelerator.link !== "pcie" || tensor === 1 || (link === "pcie" && tensor <= mostOverPcie)
    );
  };
  const isLarger = (name: AcceleratorName): boolean => {
    const other = acceleratorTypes[name];
    return (
      other.platform === platform && other.link !== "none" && other.memoryGiB > memoryGiB * 1.05
    );
  };
  const byMemory = (names: readonly AcceleratorName[]) =>
    names
      .filter(isLarger)
      .toSorted((a, b) => acceleratorTypes[a].memoryGiB - acceleratorTypes[b].memoryGiB);
  return byMemory(usualAccelerators).find(fits) ?? byMemory(acceleratorNames).find(fits);
}
