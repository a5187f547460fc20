import { allSnippets, place, type Snippet } from "./markdown.ts";

/**
 * Kind of a TypeScript block of a page, set by the word after `ts`:
 *
 * - none: a Pulumi program, complete with its imports
 * - `continues`: the rest of the program in the block above it
 * - `script`: complete, but no Pulumi program; it is compiled
 * - `test`: a test for vitest; it is compiled and run
 */
export const kindsOfSnippet = ["continues", "script", "test"] as const;

/** A program as a reader would put it together: one block, or a block and those that continue it. */
export interface DocumentedProgram {
  /** The page and line of its first block. */
  readonly place: string;
  readonly kind: "program" | "script" | "test";
  readonly text: string;
  /** The page and line of a line of the text. Both count from 1. */
  placeOf(line: number): string;
}

export function documentedPrograms(snippets: readonly Snippet[] = allSnippets("ts")) {
  const programs: Snippet[][] = [];
  for (const snippet of snippets) {
    for (const word of snippet.words) {
      if (!kindsOfSnippet.some((kind) => kind === word)) {
        throw new Error(`${place(snippet)}: \`ts ${word}\`; allowed: ${kindsOfSnippet.join(", ")}`);
      }
    }
    const above = programs.at(-1);
    if (!snippet.words.includes("continues")) programs.push([snippet]);
    else if (above?.[0]?.page === snippet.page) above.push(snippet);
    else throw new Error(`${place(snippet)}: there is no block above that it could continue`);
  }
  return programs.map(program);
}

function program(blocks: readonly Snippet[]): DocumentedProgram {
  const [first] = blocks;
  if (first === undefined) throw new Error("a program has a block");
  const places = blocks.flatMap(({ page, line, text }) =>
    text
      .split("\n")
      .slice(0, -1)
      .map((_, at) => place({ page, line: line + at })),
  );
  return {
    place: place(first),
    kind: first.words.includes("script")
      ? "script"
      : first.words.includes("test")
        ? "test"
        : "program",
    text: blocks.map(({ text }) => text).join(""),
    placeOf: (line) => places[line - 1] ?? place(first),
  };
}
