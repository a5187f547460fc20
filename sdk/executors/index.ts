import type { CommandLine } from "../command-line/started-programs.ts";
import type { EngineName } from "../engines/index.ts";
import { groupSupportOf } from "../engines/vllm-images.ts";
import { custom } from "./custom.ts";
import type { Executor, GroupPort } from "./executor.ts";
import { mp } from "./mp.ts";
import { ray } from "./ray.ts";
import { sglang } from "./sglang.ts";

/** Executors by value of `multinode.executor`. */
export const executors = { ray, mp, sglang, custom } as const satisfies Record<string, Executor>;

export type ExecutorName = keyof typeof executors;

export const executorNames = Object.keys(executors) as ExecutorName[];

/** Returns the executors that form groups of an engine; none for an unknown engine. */
export const executorsFor = (engine: EngineName | undefined): ExecutorName[] =>
  executorNames.filter((name) => engine !== undefined && executors[name].engine === engine);

/**
 * Returns the executor of a role that names none: `mp` for vLLM since the first version that supports it, Ray for
 * older images, `sglang` for SGLang. Undefined if the engine, or the version of vLLM in its image, is unknown.
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

/** The ports on which groups connect, by executor. */
export const groupPorts: readonly GroupPort[] = executorNames.flatMap(
  (name) => executors[name].bootstrap?.groupPort ?? [],
);

/** Returns the group's port in a container's command; undefined if the command forms no group. */
export function groupPortIn(container: CommandLine): number | undefined {
  for (const { writtenBy } of groupPorts) {
    const port = writtenBy(container);
    if (port !== undefined) return /^\d+$/.test(port) ? Number(port) : undefined;
  }
  return undefined;
}
