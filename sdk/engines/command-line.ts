import { isDeferred } from "../../kubernetes/values/deferred.ts";

/** A container as far as what it starts goes, in a spec or in an object. A word may be known only later. */
export interface CommandLine {
  readonly name?: unknown;
  readonly image?: unknown;
  readonly command?: unknown;
  readonly args?: unknown;
}

/** Stands for a word that is known only later; no program, flag or value is written so. */
const unknownWord = "\0";

/** Whether every word of a container's command is known. */
export const isFullyKnown = (container: CommandLine): boolean =>
  !listed(container).includes(unknownWord);

function listed({ command, args }: CommandLine): string[] {
  return [command, args].flatMap((list) => {
    const items: unknown[] = list === undefined ? [] : Array.isArray(list) ? [...list] : [list];
    return items.map((item) => (isDeferred(item) ? unknownWord : String(item)));
  });
}

/** A word of a command line: as it is written, and as the program gets it. */
export interface Word {
  readonly written: string;
  readonly meant: string;
}

/** The script of `sh -c`, with the words that stand around it left out. */
export function scriptOf(container: CommandLine): string | undefined {
  const words = listed(container);
  if (!/^(.*\/)?(ba|da|a|z|k)?sh$/.test(words[0] ?? "")) return undefined;
  const at = words.findIndex((word, index) => index > 0 && /^-[a-z]*c$/.test(word));
  return at < 0 ? undefined : words[at + 1];
}

/** Names the field that has the arguments of a container's program: all words may be written as its command. */
export const argumentsField = ({ command, args }: CommandLine): "command" | "args" =>
  args === undefined && command !== undefined ? "command" : "args";

const divided = new WeakMap<CommandLine, readonly Word[]>();

/** The words of a container's script; none where it is not started by a shell. */
export function scriptWordsOf(container: CommandLine): readonly Word[] {
  // Many rules read them.
  const words = divided.get(container) ?? shellWords(scriptOf(container) ?? "");
  divided.set(container, words);
  return words;
}

/** The words of a container's command, those of a shell script as the shell divides it. */
export const wordsOf = (container: CommandLine): readonly string[] =>
  scriptOf(container) === undefined
    ? listed(container)
    : scriptWordsOf(container).map(({ meant }) => meant);

/**
 * Divides a script into words as a POSIX shell does. Expansions are left as they are written, and what separates
 * commands is a word of its own.
 */
export function shellWords(script: string): Word[] {
  const words: Word[] = [];
  let written = "";
  let meant = "";
  let at = 0;
  const end = () => {
    if (written !== "") words.push({ written, meant });
    written = meant = "";
  };
  while (at < script.length) {
    const [text, value] = pieceAt(script, at);
    at += text.length;
    if (value !== undefined) {
      written += text;
      meant += value;
      continue;
    }
    end();
    if (!/^\s/.test(text) && !text.startsWith("#") && text !== "\\\n")
      words.push({ written: text, meant: text });
  }
  end();
  return words;
}

/** The next piece of a script, and what it adds to a word; undefined where it ends one. */
function pieceAt(script: string, at: number): [text: string, value: string | undefined] {
  const rest = script.slice(at);
  const continued = /^\\\n/.exec(rest);
  if (continued) return [continued[0], undefined];
  const between = /^(\s+|&&|\|\||[;&|()]+)/.exec(rest);
  if (between) return [between[0], undefined];
  const comment = /^#[^\n]*/.exec(rest);
  if (comment && (at === 0 || /\s/.test(script[at - 1] ?? ""))) return [comment[0], undefined];
  const single = /^'([^']*)'?/.exec(rest);
  if (single) return [single[0], single[1] ?? ""];
  const double = /^"((?:[^"\\]|\\[\s\S])*)"?/.exec(rest);
  if (double) return [double[0], (double[1] ?? "").replace(/\\(["\\$`])/g, "$1")];
  const substitution = /^\$\((?:[^()]|\([^()]*\))*\)/.exec(rest);
  if (substitution) return [substitution[0], substitution[0]];
  const escaped = /^\\([\s\S])/.exec(rest);
  if (escaped) return [escaped[0], escaped[1] ?? ""];
  return [rest[0] ?? "", rest[0] ?? ""];
}
