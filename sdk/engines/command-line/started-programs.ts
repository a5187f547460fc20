import { isDeferred } from "../../../kubernetes/values/deferred.ts";
import { environmentOf, expandReferences, type Value } from "./environment.ts";
import { launchOf, type Program } from "./launch.ts";
import { programsOf, type Scope } from "./shell-script.ts";
import { known, textOf, unknown, type Word } from "./words.ts";
import { fileName, isPython, isShell, wrappers } from "./wrappers.ts";

/** The fields of a container that decide which programs it starts. Any value in them may be deferred. */
export interface CommandLine {
  readonly name?: unknown;
  readonly image?: unknown;
  readonly command?: unknown;
  readonly args?: unknown;
  readonly env?: unknown;
  readonly envFrom?: unknown;
}

/** The programs that a container starts. */
export interface Started {
  /** In the order of the script. For a container without a command, only the words for its image's entrypoint. */
  readonly programs: readonly Program[];
  /** Whether `args` are passed to the entrypoint of the image. */
  readonly isByImage: boolean;
  /** Whether a shell script starts the programs. */
  readonly isScript: boolean;
}

const cache = new WeakMap<CommandLine, Started>();

/** Returns the programs that a container starts, read from its command, arguments and variables. */
export function startedBy(container: CommandLine): Started {
  const read = cache.get(container) ?? readStarted(container);
  cache.set(container, read);
  return read;
}

function readStarted({ command, args, env, envFrom }: CommandLine): Started {
  const { values, mayHaveMore } = environmentOf(env, envFrom);
  const scope: Scope = { values: new Map(values), mayHaveMore, positional: [], depth: 0 };
  const commandWords = wordsIn(command, values);
  const words = [...commandWords, ...wordsIn(args, values)];
  const isByImage = commandWords.length === 0 && !startsProgram(words[0]);
  const launch = isByImage ? undefined : launchOf(words);
  return {
    isByImage,
    isScript: launch !== undefined && "script" in launch,
    programs: isByImage ? [{ name: undefined, args: words }] : programsOf(words, scope),
  };
}

/** Returns the words of `command` or `args`. A list that is only known later becomes a word that may be several. */
function wordsIn(list: unknown, values: ReadonlyMap<string, Value>): Word[] {
  if (isDeferred(list)) return [unknown("", true)];
  const items: unknown[] = list === undefined || list === null ? [] : [list].flat();
  return items.map((item) => {
    if (isDeferred(item)) return unknown("");
    const { text, isKnown } = expandReferences(String(item), values);
    return isKnown ? known(text, String(item)) : { ...unknown(String(item)), text };
  });
}

/** Programs that images without an engine as their entrypoint get as their first argument. */
const engines = /^(vllm|sglang|trtllm-serve|ray)$/;

function startsProgram(word: Word | undefined): boolean {
  const name = textOf(word);
  if (name === undefined) return false;
  return (
    isShell(name) ||
    isPython(name) ||
    engines.test(fileName(name)) ||
    Object.hasOwn(wrappers, fileName(name)) ||
    name.startsWith("/")
  );
}

/** Whether a shell script starts the container's programs, so that further arguments do not reach them. */
export const isScript = (container: CommandLine): boolean => startedBy(container).isScript;

/** Returns the field that contains the arguments of a container's program: `command` may contain all words. */
export const argumentsField = ({ command, args }: CommandLine): "command" | "args" =>
  args === undefined && command !== undefined ? "command" : "args";

/** The names and arguments of all programs that a container starts. */
export const wordsOf = (container: CommandLine): readonly Word[] =>
  startedBy(container).programs.flatMap(({ name, args }) =>
    name === undefined ? args : [known(name), ...args],
  );
