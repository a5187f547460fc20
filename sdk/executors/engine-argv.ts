import { isDeferred, withKnown } from "../../kubernetes/values/deferred.ts";
import type { CommandLine } from "../command-line/started-programs.ts";

/** What a function makes of an engine's command line, once every word of it is known. */
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

/** An engine's arguments with more behind them; words that are known only later pass through. */
export const withMoreArgs = ({ args = [] }: CommandLine, more: readonly string[]): unknown =>
  withKnown([args], ([list]) => [
    ...listed(list).map((word) => (isDeferred(word) ? word : text(word))),
    ...more,
  ]);

const listed = (list: unknown): unknown[] => [list].flat();

/** @throws Error for an Output of nothing, as of another stack that has no such output */
function text(word: unknown): string {
  if (word !== undefined && word !== null && typeof word !== "object") return String(word);
  throw new Error(`an engine argument is ${JSON.stringify(word)}; allowed: a string or a number`);
}
