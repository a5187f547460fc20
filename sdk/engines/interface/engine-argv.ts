import { isDeferred, withKnown } from "../../../kubernetes/values/deferred.ts";
import type { CommandLine } from "../command-line/started-programs.ts";

/** Returns the result of `make` for an engine's command line, once every word of it is known. */
export function withWords(
  { command = [], args = [] }: CommandLine,
  make: (command: readonly string[], args: readonly string[]) => string,
): unknown {
  return withKnown([command, args], (lists) => {
    const [words = [], rest = []] = lists.map(listed);
    return withKnown([...words, ...rest], (known) => {
      const texts = known.map(text);
      return make(texts.slice(0, words.length), texts.slice(words.length));
    });
  });
}

/** Appends to an engine's arguments. Words that are only known later stay as they are. */
export const withMoreArgs = ({ args = [] }: CommandLine, more: readonly string[]): unknown =>
  withKnown([args], ([list]) => [
    ...listed(list).map((word) => (isDeferred(word) ? word : text(word))),
    ...more,
  ]);

const listed = (list: unknown): unknown[] => [list].flat();

/** @throws Error if an Output resolves to undefined, such as a missing output of another stack */
function text(word: unknown): string {
  if (word !== undefined && word !== null && typeof word !== "object") return String(word);
  throw new Error(`an engine argument is ${JSON.stringify(word)}; allowed: a string or a number`);
}
