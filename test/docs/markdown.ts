import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../../testing/repository.ts";

/** A fenced block of a page. */
export interface Snippet {
  /** From the root of the repository, as `docs/pools.md`. */
  readonly page: string;
  /** Line of the block's first line of text, from 1. */
  readonly line: number;
  /** First word after the fence: `ts`, `sh`, `yaml` ... Empty if there is none. */
  readonly language: string;
  /** The words after it, which readers do not see. */
  readonly words: readonly string[];
  readonly text: string;
}

/** Every page that users read, from the root of the repository. */
export function pages(): string[] {
  return globSync(["*.md", "docs/**/*.md", "examples/**/*.md", "policies/*.md"], {
    cwd: repositoryRoot,
    exclude: (path) => path.includes("node_modules"),
  }).sort();
}

export const pageText = (page: string) => readFileSync(join(repositoryRoot, page), "utf8");

/** The fenced blocks of a page, in order. */
export function snippetsOf(page: string, text = pageText(page)): Snippet[] {
  const found: Snippet[] = [];
  let open: { fence: string; line: number; info: string; lines: string[] } | undefined;
  for (const [at, line] of text.split("\n").entries()) {
    const fence = /^ {0,3}(`{3,})(.*)$/.exec(line);
    if (open === undefined) {
      if (fence !== null) {
        open = { fence: fence[1] ?? "", line: at + 2, info: fence[2] ?? "", lines: [] };
      }
    } else if (fence?.[1] === open.fence && fence[2]?.trim() === "") {
      const [language = "", ...words] = open.info.trim().split(/\s+/);
      found.push({ page, line: open.line, language, words, text: `${open.lines.join("\n")}\n` });
      open = undefined;
    } else {
      open.lines.push(line);
    }
  }
  if (open !== undefined) throw new Error(`${page}:${open.line}: the block has no closing fence`);
  return found;
}

/** Every block of every page in one of these languages. */
export const allSnippets = (...languages: string[]): Snippet[] =>
  pages()
    .flatMap((page) => snippetsOf(page))
    .filter(({ language }) => languages.includes(language));

export const place = ({ page, line }: Pick<Snippet, "page" | "line">) => `${page}:${line}`;
