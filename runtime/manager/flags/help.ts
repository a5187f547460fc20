import type { Flag, FlagTable } from "./command-line.ts";

const width = 100;
const indent = "      ";

/** The flags by group: each with its value, default and one sentence. */
export function flagHelp(table: FlagTable): string {
  const flags = Object.values(table);
  const groups = new Set(flags.map(({ group }) => group));
  const section = (name: string) =>
    `${name}:\n${flags
      .filter(({ group }) => group === name)
      .map(entry)
      .join("")}`;
  return [...groups].map(section).join("\n");
}

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
