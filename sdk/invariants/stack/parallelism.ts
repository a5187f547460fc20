import { wordsOf } from "../../engines/command-line.ts";
import { flagValue } from "../../engines/flags.ts";
import { type EngineName, engineNameOf, engines } from "../../engines/index.ts";
import type { Finding } from "../../invariant.ts";
import type { ContainerShape } from "../../stack/shapes.ts";

/** How an engine divides a model over accelerators, as far as its own flags say. */
export interface Parallelism {
  readonly engine: EngineName;
  readonly tensor: number;
  readonly pipeline: number;
  /** Copies of the model over the whole group. */
  readonly data: number;
  /** Copies on one pod, where that is said. */
  readonly dataLocal: number | undefined;
  /** Whether any of these is said, and not left to a default. */
  readonly isSaid: boolean;
}

/** Undefined where the engine is not known, or a number is written as a variable. */
export function parallelismOf(container: ContainerShape): Parallelism | undefined {
  const engine = engineNameOf(container);
  if (engine === undefined) return undefined;
  const words = wordsOf(container);
  const names = engines[engine].parallelFlags;
  const tensor = numberOf(words, names.tensor);
  const pipeline = numberOf(words, names.pipeline);
  const data = numberOf(words, names.data);
  const dataLocal = numberOf(words, names.dataLocal);
  const said = [tensor, pipeline, data, dataLocal];
  if (said.some((number) => Number.isNaN(number))) return undefined;
  // Copies of a model behind a balancer outside, and those that share their attention layers, do not multiply GPUs.
  const isFactor =
    flagValue(words, "--data-parallel-rank") === undefined &&
    !words.includes("--enable-dp-attention");
  return {
    engine,
    tensor: tensor ?? 1,
    pipeline: pipeline ?? 1,
    data: isFactor ? (data ?? 1) : 1,
    dataLocal,
    isSaid: said.some((number) => number !== undefined),
  };
}

/** Said of a service at preview, and of the objects of a stack. */
export const parallelismFits = {
  id: "parallelism-fits-the-gpus",
  title: "An engine is told to use the accelerators that its replica has",
  why: "With more ranks than devices it waits for ever, with fewer it leaves devices idle.",
  source:
    "vLLM: tensor times pipeline times data parallel size is the world size; SGLang: --tp, --pp",
  code: "count",
} as const;

/**
 * What is wrong where an engine is told to use more accelerators than its replica has, or fewer.
 *
 * @param gpus accelerators of one pod; of none nothing is said
 * @param size pods of the replica
 */
export function unfitParallelism(
  container: ContainerShape,
  gpus: number,
  size: number,
): Omit<Finding, "path"> | undefined {
  const parallelism = parallelismOf(container);
  if (!parallelism?.isSaid || gpus === 0) return undefined;
  const { tensor, pipeline, data, dataLocal } = parallelism;
  const [ranks, devices, where] =
    dataLocal === undefined
      ? [tensor * pipeline * data, gpus * size, "the replica"]
      : [tensor * pipeline * dataLocal, gpus, "the pod"];
  if (ranks === devices) return undefined;
  const product = [tensor, pipeline, dataLocal ?? data].filter((each) => each !== 1).join(" x ");
  return {
    given: `ask for ${ranks} accelerators${/x/.test(product) ? ` (${product})` : ""}`,
    allowed: `${devices}, those of ${where}`,
    fix: "Change the parallel sizes, the pods of a replica, or the accelerators of a pod.",
  };
}

/** Reads the number of a flag; NaN for anything else. */
function numberOf(words: readonly string[], names: readonly string[]): number | undefined {
  for (const name of names) {
    const text = flagValue(words, name);
    if (text !== undefined) return /^\d+$/.test(text) ? Number(text) : Number.NaN;
  }
  return undefined;
}
