import { type CommandLine, isFullyKnown, wordsOf } from "./command-line.ts";
import { flagValue, hasFlag } from "./flags.ts";
import { type EngineName, engineNameOf, engines } from "./index.ts";

/**
 * The names by which an engine serves its base model, as its command says: those of `--served-model-name`, else the model
 * itself. Undefined where the command does not tell.
 */
export function servedModels(engine: CommandLine): readonly string[] | undefined {
  const name = engineNameOf(engine);
  const words = wordsOf(engine);
  if (name === undefined || !isFullyKnown(engine) || hasFlag(words, "--config")) return undefined;
  const named = valuesOf(words, "--served-model-name");
  const names = named.length > 0 ? named : [modelOf(name, words)];
  const known = names.filter((model) => model !== undefined && isName(model));
  return known.length === names.length ? (known as string[]) : undefined;
}

/** The model that an engine loads, as its command writes it: a name or a path. Undefined where the command does not tell. */
export function loadedModel(engine: CommandLine): string | undefined {
  const name = engineNameOf(engine);
  const words = wordsOf(engine);
  if (name === undefined || !isFullyKnown(engine) || hasFlag(words, "--config")) return undefined;
  const model = modelOf(name, words);
  return model !== undefined && isName(model) ? model : undefined;
}

function modelOf(name: EngineName, words: readonly string[]): string | undefined {
  const { modelFlags, unflaggedModel } = engines[name];
  const flagged = modelFlags.map((flag) => flagValue(words, flag));
  return flagged.find((model) => model !== undefined) ?? unflaggedModel(words);
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
