import type { CommandLine } from "../command-line/started-programs.ts";
import { argumentsOf, engines } from "../index.ts";
import type { EngineName } from "../interface/engine.ts";
import type { Executor, GroupPort } from "../interface/executor.ts";
import { sglang } from "../sglang/group.ts";
import { mp } from "../vllm/mp.ts";
import { ray } from "../vllm/ray.ts";

/** The commands of the template form the group. */
const custom = {
  title: "the template's command",
  engine: undefined,
  adds: "nothing: every pod runs the template's command, which reads `LWS_LEADER_ADDRESS`, `LWS_GROUP_SIZE` and `LWS_WORKER_INDEX`",
  bootstrap: undefined,
} as const satisfies Executor;

/** Executors by value of `multinode.executor`. */
export const executors = { ray, mp, sglang, custom } as const satisfies Record<string, Executor>;

export type ExecutorName = keyof typeof executors;

export const executorNames = Object.keys(executors) as ExecutorName[];

/** Returns the executors that form groups of an engine; none for an unknown engine. */
export const executorsFor = (engine: EngineName | undefined): ExecutorName[] =>
  executorNames.filter((name) => engine !== undefined && executors[name].engine === engine);

/**
 * Returns the executor of a role that names no executor; undefined if the engine, or the version in its image, is
 * unknown.
 */
export function defaultExecutorFor(
  engine: EngineName | undefined,
  image: unknown,
): ExecutorName | undefined {
  const executor = engine && engines[engine].groupExecutor(image);
  return executorNames.find((name) => name === executor);
}

/** The ports on which groups connect, by executor. */
export const groupPorts: readonly GroupPort[] = executorNames.flatMap(
  (name) => executors[name].bootstrap?.groupPort ?? [],
);

/** Returns the group's port in a container's command; undefined if the command forms no group. */
export function groupPortIn(container: CommandLine): number | undefined {
  for (const { writtenBy } of groupPorts) {
    const port = writtenBy(container, argumentsOf(container));
    if (port !== undefined) return /^\d+$/.test(port) ? Number(port) : undefined;
  }
  return undefined;
}
