import type { EngineName } from "../engines/index.ts";
import { custom } from "./custom.ts";
import type { Executor, GroupPort } from "./executor.ts";
import { mp } from "./mp.ts";
import { ray } from "./ray.ts";
import { sglang } from "./sglang.ts";

/** The executors by the words of `multinode.executor`. The first of an engine is its default. */
export const executors = { ray, mp, sglang, custom } as const satisfies Record<string, Executor>;

export type ExecutorName = keyof typeof executors;

export const executorNames = Object.keys(executors) as ExecutorName[];

/** Returns the executors that form groups of an engine, the default first; none for an engine that is not known. */
export const executorsFor = (engine: EngineName | undefined): ExecutorName[] =>
  executorNames.filter((name) => engine !== undefined && executors[name].engine === engine);

/** Returns the executor of groups whose role names none. */
export const defaultExecutorFor = (engine: EngineName | undefined): ExecutorName =>
  executorsFor(engine)[0] ?? "ray";

/** The ports on which groups meet, by executor. */
export const groupPorts: readonly GroupPort[] = executorNames.flatMap(
  (name) => executors[name].bootstrap?.groupPort ?? [],
);

/** Returns the port on which a command lets a group meet; undefined if it forms none. */
export function groupPortIn(words: readonly string[]): number | undefined {
  for (const { writtenIn } of groupPorts) {
    const port = writtenIn(words);
    if (port !== undefined) return /^\d+$/.test(port) ? Number(port) : undefined;
  }
  return undefined;
}
