import type { Command, Redirection, Word as SyntaxWord, WordPart } from "unbash";
import type { Scope } from "./shell-script.ts";
import { textOfWord } from "./shell-words.ts";
import { known, unknown, type Word } from "./words.ts";
import { fileName } from "./wrappers.ts";

/** Texts that a shell script passes to commands and files, as far as the template contains them. */

/** Returns the standard input of a command that its redirections contain; undefined if they contain none. */
export function inputOf(redirects: readonly Redirection[], scope: Scope): string | undefined {
  const last = redirects.findLast(
    ({ type, operator }) => type !== "Redirect" || operator.startsWith("<"),
  );
  if (last?.type === "HereString") return last.target && textOfWord(last.target, scope).text;
  if (last?.type !== "HereDoc") return undefined;
  const { body, operator } = last;
  // An unquoted document is expanded. A part with an unknown value is kept as written.
  const text =
    body.parts
      ?.map((part) =>
        part.type === "Literal"
          ? part.text.replaceAll(/\\([$`\\\n])/g, (_, after) => (after === "\n" ? "" : after))
          : textOfWord(wordOf(part), scope).text,
      )
      .join("") ?? body.text;
  return operator === "<<-" ? text.replaceAll(/^\t+/gm, "") : text;
}

const wordOf = (part: WordPart): SyntaxWord => {
  const { text, pos, end } = part;
  return { type: "Word", ...{ text, value: text, pos, end, parts: [part] } };
};

/** Returns the text that a command writes to its standard output; undefined if the template does not contain it. */
export function outputOf(
  name: string,
  args: readonly Word[],
  input: string | undefined,
): string | undefined {
  const texts = args.map(({ text }) => text);
  const isWhole = args.every(({ mayBeSeveral }) => !mayBeSeveral);
  if (name === "cat") return texts.every((text) => text === "-") ? input : undefined;
  if (name === "tee") return input;
  if (name === "echo" && isWhole) return `${texts.join(" ").replace(/^(-[neE]+ )+/, "")}\n`;
  return undefined;
}

/** Returns the files that a command writes. */
export function outputFilesOf(
  { redirects }: Command,
  name: string,
  args: readonly Word[],
  scope: Scope,
): string[] {
  const redirected = redirects.flatMap((each) =>
    each.type === "Redirect" && /^&?>[>|]?$/.test(each.operator) && each.target !== undefined
      ? [textOfWord(each.target, scope).text]
      : [],
  );
  const copies = name === "tee" ? args.flatMap(({ text }) => (/^-/.test(text) ? [] : [text])) : [];
  return [...redirected, ...copies].map(pathOf);
}

/** The path of a file by which scripts find it again: `./run` is `run`. */
export const pathOf = (file: string): string => file.replace(/^(\.\/)+/, "");

/** Returns the words that a command gets from its input, as `xargs` does. */
export function wordsFromInput(program: string, input: string | undefined): Word[] {
  if (fileName(program) !== "xargs") return [];
  if (input === undefined) return [unknown("", true)];
  return input.split(/\s+/).flatMap((word) => (word === "" ? [] : [known(word)]));
}
