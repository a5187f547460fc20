import { flagValue } from "../../topology/engine-flags.ts";
import { type EngineKind, engineKindOf } from "../../topology/engine-kind.ts";
import { wordsOf } from "../../topology/engine-words.ts";
import type { ContainerShape } from "./shapes.ts";

/** How an engine divides a model over accelerators, as far as its own flags say. */
export interface Parallelism {
  readonly engine: EngineKind;
  readonly tensor: number;
  readonly pipeline: number;
  /** Copies of the model over the whole group. */
  readonly data: number;
  /** Copies on one pod, where that is said. */
  readonly dataLocal: number | undefined;
  /** Whether any of these is said, and not left to a default. */
  readonly isSaid: boolean;
}

const flags = {
  vllm: {
    tensor: ["--tensor-parallel-size", "-tp"],
    pipeline: ["--pipeline-parallel-size", "-pp"],
    data: ["--data-parallel-size", "-dp"],
    dataLocal: ["--data-parallel-size-local", "-dpl"],
  },
  sglang: {
    tensor: ["--tensor-parallel-size", "--tp-size", "--tp"],
    pipeline: ["--pipeline-parallel-size", "--pp-size", "--pp"],
    data: ["--data-parallel-size", "--dp-size", "--dp"],
    dataLocal: [],
  },
} as const;

/** Undefined where the engine is not known, or a number is written as a variable. */
export function parallelismOf(container: ContainerShape): Parallelism | undefined {
  const engine = engineKindOf(container);
  if (engine === undefined) return undefined;
  const words = wordsOf(container);
  const names = flags[engine];
  const tensor = numberOf(words, names.tensor);
  const pipeline = numberOf(words, names.pipeline);
  const data = numberOf(words, names.data);
  const dataLocal = numberOf(words, names.dataLocal);
  const said = [tensor, pipeline, data, dataLocal];
  if (said.some((number) => Number.isNaN(number))) return undefined;
  // The copies of a model behind a balancer outside, and those that share their attention layers, are no factor.
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

/** NaN for what is no number. */
function numberOf(words: readonly string[], names: readonly string[]): number | undefined {
  for (const name of names) {
    const text = flagValue(words, name);
    if (text !== undefined) return /^\d+$/.test(text) ? Number(text) : Number.NaN;
  }
  return undefined;
}
