import type { CommandLine } from "../command-line/started-programs.ts";
import type { EngineName } from "../engines/index.ts";
import { groupSupportOf } from "../engines/vllm-images.ts";
import { custom } from "./custom.ts";
import type { Executor, GroupPort } from "./executor.ts";
import { mp } from "./mp.ts";
import { ray } from "./ray.ts";
import { sglang } from "./sglang.ts";

/** The executors by the values of `multinode.executor`. */
export const executors = { ray, mp, sglang, custom } as const satisfies Record<string, Executor>;

export type ExecutorName = keyof typeof executors;

export const executorNames = Object.keys(executors) as ExecutorName[];

/** Returns the executors that form groups of an engine; none for an engine that is not known. */
export const executorsFor = (engine: EngineName | undefined): ExecutorName[] =>
  executorNames.filter((name) => engine !== undefined && executors[name].engine === engine);

/**
 * Returns the executor of a role that names none: vLLM's own from the first version that has it, Ray for older images,
 * SGLang's own. Undefined if the engine, or the version of vLLM in its image, is not known.
 */
export function defaultExecutorFor(
  engine: EngineName | undefined,
  image: unknown,
): ExecutorName | undefined {
  if (engine === "sglang") return "sglang";
  if (engine !== "vllm") return undefined;
  const support = groupSupportOf(image);
  if (support.mp === true) return "mp";
  return support.ray === true ? "ray" : undefined;
}

/** The ports on which groups meet, by executor. */
export const groupPorts: readonly GroupPort[] = executorNames.flatMap(
  (name) => executors[name].bootstrap?.groupPort ?? [],
);

/** Returns the port on which a container's command lets a group meet; undefined if it forms none. */
export function groupPortIn(container: CommandLine): number | undefined {
  for (const { writtenBy } of groupPorts) {
    const port = writtenBy(container);
    if (port !== undefined) return /^\d+$/.test(port) ? Number(port) : undefined;
  }
  return undefined;
}
