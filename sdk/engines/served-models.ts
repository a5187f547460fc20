import { type CommandLine, isFullyKnown, wordsOf } from "./command-line.ts";
import { type EngineKind, engineKindOf } from "./engine-kind.ts";
import { flagValue, hasFlag } from "./flags.ts";

/** Flags that name the model (`vllm serve --help`, `sglang.launch_server --help`), which is served by that name. */
const modelFlags: Readonly<Record<EngineKind, readonly string[]>> = {
  vllm: ["--model"],
  sglang: ["--model-path", "--model"],
};

/**
 * The names by which an engine serves its base model, as its command says: those of `--served-model-name`, else the model
 * itself. Undefined where the command does not tell.
 */
export function servedModels(engine: CommandLine): readonly string[] | undefined {
  const kind = engineKindOf(engine);
  const words = wordsOf(engine);
  if (kind === undefined || !isFullyKnown(engine) || hasFlag(words, "--config")) return undefined;
  const named = valuesOf(words, "--served-model-name");
  const names = named.length > 0 ? named : [modelOf(kind, words)];
  const known = names.filter((name) => name !== undefined && isName(name));
  return known.length === names.length ? (known as string[]) : undefined;
}

function modelOf(kind: EngineKind, words: readonly string[]): string | undefined {
  const flagged = modelFlags[kind]
    .map((flag) => flagValue(words, flag))
    .find((value) => value !== undefined);
  if (flagged !== undefined || kind !== "vllm") return flagged;
  const serve = words.indexOf("serve");
  // The image starts `vllm serve` where the words have no program.
  const first = words[serve + 1];
  return serve < 0 && words.some((word) => /vllm/.test(word)) ? undefined : first;
}

/** The values of a flag that takes several. */
function valuesOf(words: readonly string[], flag: string): readonly string[] {
  const at = words.findIndex((word) => word.split("=", 1)[0]?.replaceAll("_", "-") === flag);
  if (at < 0) return [];
  const written = words[at]?.split("=", 2)[1];
  if (written !== undefined) return [written];
  const rest = words.slice(at + 1);
  const end = rest.findIndex((word) => /^(-|[;&|()]+$)/.test(word));
  return end < 0 ? rest : rest.slice(0, end);
}

/** A flag, a variable and what a shell makes of a word are none. */
const isName = (word: string): boolean => /^[^-$*`\s;&|()][^$*`\s;&|()]*$/.test(word);
