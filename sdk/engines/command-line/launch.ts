import { textOf, unknown, type Word } from "./words.ts";
import { fileName, isPython, isShell, wrappers } from "./wrappers.ts";

/** A program that a container starts, without the wrappers and shells around it. */
export interface Program {
  /** Its path, or the module that Python runs; undefined if the template does not contain it, as in a script file. */
  readonly name: string | undefined;
  readonly args: readonly Word[];
}

/** The script in the arguments of a shell. */
interface InlineScript {
  readonly script: string;
  /** `$1`, `$2` and so on of the script. */
  readonly positional: readonly Word[];
}

/** The result of starting a list of words. */
export type Launch = Program | InlineScript;

/** A program that the template does not contain. */
export const unknownProgram: Program = { name: undefined, args: [] };

/** Returns what a list of words starts, without wrappers; undefined for no words. */
export function launchOf(words: readonly Word[]): Launch | undefined {
  const [first, ...rest] = words;
  if (first === undefined) return undefined;
  const name = textOf(first);
  if (name === undefined) return { name: undefined, args: rest };
  if (isShell(name)) return launchOfShell(rest);
  if (isPython(name)) return pythonProgram(name, rest);
  if (Object.hasOwn(wrappers, fileName(name))) return launchOf(wrapped(name, rest));
  return { name, args: rest };
}

/** Returns the words that a wrapper starts. */
function wrapped(name: string, words: readonly Word[]): readonly Word[] {
  const { valueOptions = [], operands = 0, takesAssignments } = wrappers[fileName(name)] ?? {};
  let at = 0;
  for (; at < words.length; at++) {
    const { text } = words[at] as Word;
    if (text === "--") {
      at++;
      break;
    }
    if (takesAssignments && /^\w+=/.test(text)) continue;
    if (!/^-./.test(text)) break;
    if (valueOptions.includes(text)) at++;
  }
  return words.slice(at + operands);
}

/** Returns the program of `python -m MODULE` or `python FILE`; for `python -c` a program without a name. */
function pythonProgram(python: string, words: readonly Word[]): Program {
  for (let at = 0; at < words.length; at++) {
    const { text } = words[at] as Word;
    const rest = words.slice(at + 1);
    if (/^-[a-zA-Z]*m$/.test(text)) return { name: textOf(rest[0]), args: rest.slice(1) };
    if (/^-[a-zA-Z]*c$/.test(text)) return unknownProgram;
    if (text === "-X" || text === "-W") at++;
    else if (!text.startsWith("-")) return { name: textOf(words[at]), args: rest };
  }
  return { name: python, args: [] };
}

/**
 * Returns the script of `sh -c SCRIPT NAME ARGS`. A script in a file or in the standard input is not read, even if this
 * command writes it.
 */
function launchOfShell(words: readonly Word[]): Launch | undefined {
  let isInline = false;
  let at = 0;
  for (; at < words.length; at++) {
    const { text } = words[at] as Word;
    if (text === "--" || text === "-") {
      at++;
      break;
    }
    if (text.startsWith("--")) continue;
    if (!/^[-+][a-zA-Z]+$/.test(text)) break;
    if (text.startsWith("-") && text.includes("c")) isInline = true;
    if (/[oO]$/.test(text)) at++;
  }
  if (!isInline) return unknownProgram;
  const [script, , ...positional] = words.slice(at);
  if (script === undefined) return undefined;
  // A reference in the script that the kubelet may expand is left to the parser of the script.
  if (script.isKnown || script.written !== "") return { script: script.text, positional };
  return { name: undefined, args: [unknown("", true)] };
}
