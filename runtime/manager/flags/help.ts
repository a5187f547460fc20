import type { Flag, FlagTable } from "./command-line.ts";

const width = 100;
const indent = "      ";

/** Formats the flags by group: each with its value, default and one sentence. */
export const flagHelp = (table: FlagTable): string =>
  Object.values(table)
    .map(({ title, flags }) => `${title}:\n${Object.values(flags).map(entry).join("")}`)
    .join("\n");

function entry(flag: Flag<unknown>): string {
  const short = flag.shorthand === undefined ? "" : `-${flag.shorthand}, `;
  const value = flag.type.placeholder === "" ? "" : ` ${flag.type.placeholder}`;
  const shown = flag.default === undefined ? "" : flag.type.show(flag.default);
  const byDefault = shown === "" ? "" : ` (default ${shown})`;
  return `  ${short}--${flag.name}${value}${byDefault}\n${wrap(flag.summary)}`;
}

function wrap(sentence: string): string {
  const lines = [""];
  for (const word of sentence.split(" ")) {
    const line = lines.at(-1) as string;
    if (line !== "" && indent.length + line.length + word.length >= width) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines.map((line) => `${indent}${line}\n`).join("");
}
