import { type CommandLine, wordsOf } from "./command-line.ts";

/** Engines whose flags are known. */
export type EngineKind = "vllm" | "sglang";

export const engineTitles: Readonly<Record<EngineKind, string>> = {
  vllm: "vLLM",
  sglang: "SGLang",
};

/**
 * The engine that a container starts, as far as its command tells, and its image where it has no command. Undefined
 * for any other, and where that is known only later.
 */
export function engineKindOf(container: CommandLine): EngineKind | undefined {
  const words = wordsOf(container);
  if (words.some((word) => /^(\S*\/)?sglang$|^sglang\./.test(word))) return "sglang";
  if (words.some((word) => /^(\S*\/bin\/)?vllm$|^vllm\./.test(word))) return "vllm";
  const hasCommand = ([container.command ?? []].flat() as unknown[]).length > 0;
  if (hasCommand || typeof container.image !== "string") return undefined;
  if (/sglang/.test(container.image)) return "sglang";
  return /vllm/.test(container.image) ? "vllm" : undefined;
}
