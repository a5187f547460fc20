import { type CommandLine, wordsOf } from "./command-line.ts";
import type { Engine } from "./engine.ts";
import { sglang } from "./sglang.ts";
import { vllm } from "./vllm.ts";

/** The engines whose flags are known. A command or image that matches several is of the first. */
export const engines = { sglang, vllm } as const satisfies Record<string, Engine>;

export type EngineName = keyof typeof engines;

const names = Object.keys(engines) as EngineName[];

/**
 * Returns the engine that a container starts by its command, or by its image if it has no command. Undefined for an
 * engine that is not known, and for words that are known only later.
 */
export function engineNameOf(container: CommandLine): EngineName | undefined {
  const words = wordsOf(container);
  const started = names.find((name) => words.some((word) => engines[name].program.test(word)));
  if (started !== undefined) return started;
  const { image } = container;
  if (hasCommand(container) || typeof image !== "string") return undefined;
  return names.find((name) => engines[name].image.test(image));
}

/** Returns whether a container has a command of its own, and does not start what its image says. */
export const hasCommand = ({ command }: CommandLine): boolean =>
  ([command ?? []].flat() as unknown[]).length > 0;
