import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../../testing/repository.ts";
import { place, type Snippet } from "./markdown.ts";

/** A command as a page shows it. */
export interface DocumentedCommand {
  readonly place: string;
  readonly words: readonly string[];
}

/** The commands of a shell block: comments and prompts are gone, lists and pipelines taken apart. */
export function commandsOf(snippet: Snippet): DocumentedCommand[] {
  const isSession = snippet.language === "console";
  const commands: DocumentedCommand[] = [];
  let waiting: { line: number; text: string } | undefined;
  let hereDocument: string | undefined;
  for (const [at, raw] of snippet.text.split("\n").entries()) {
    if (hereDocument !== undefined) {
      if (raw === hereDocument) hereDocument = undefined;
      continue;
    }
    if (isSession && waiting === undefined && !raw.startsWith("$ ")) continue;
    const text = isSession ? raw.replace(/^\$ /, "") : raw;
    const joined = { line: waiting?.line ?? snippet.line + at, text: (waiting?.text ?? "") + text };
    if (joined.text.endsWith("\\")) {
      waiting = { ...joined, text: joined.text.slice(0, -1) };
      continue;
    }
    if (isQuoteOpen(joined.text)) {
      waiting = { ...joined, text: `${joined.text}\n` };
      continue;
    }
    waiting = undefined;
    hereDocument = /<<-?\s*'?(\w+)'?/.exec(joined.text)?.[1];
    for (const words of simpleCommands(joined.text)) {
      commands.push({ place: place({ page: snippet.page, line: joined.line }), words });
    }
  }
  return commands;
}

/** Whether a quoted text continues on the next line. */
const isQuoteOpen = (text: string) =>
  /["']/.test(text.replace(/\\.|"(?:[^"\\]|\\.)*"|'[^']*'|(?<=^|\s)#.*$/gm, ""));

const separators = new Set(["|", "||", "&&", ";", "&", "(", ")"]);

function simpleCommands(line: string): string[][] {
  const commands: string[][] = [[]];
  for (const word of shellWords(line)) {
    if (separators.has(word)) commands.push([]);
    else commands.at(-1)?.push(word);
  }
  return commands.map(withoutAssignments).filter((words) => words.length > 0);
}

const withoutAssignments = (words: string[]): string[] =>
  words[0] !== undefined && /^\w+=/.test(words[0]) ? withoutAssignments(words.slice(1)) : words;

/** Words and separators of a line; quotes are taken off, `$(...)` stays one word, a comment ends it. */
function shellWords(line: string): string[] {
  const token =
    /\s+|#.*$|&&|\|\||[|;&()]|(?:"(?:[^"\\]|\\.)*"|'[^']*'|\$\([^)]*\)|\\.|[^\s"'|;&()#\\]|#)+/y;
  const words: string[] = [];
  for (token.lastIndex = 0; token.lastIndex < line.length; ) {
    const from = token.lastIndex;
    const [found] = token.exec(line) ?? [];
    if (found === undefined) throw new Error(`cannot read ${JSON.stringify(line.slice(from))}`);
    if (/^\s|^#/.test(found)) continue;
    words.push(
      found.replace(/"((?:[^"\\]|\\.)*)"|'([^']*)'/g, (_, double, single) => double ?? single),
    );
  }
  return words;
}

const { scripts } = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8")) as {
  scripts: Record<string, string>;
};

/** The arguments that a command gives to `pulumi-inference`; undefined if it runs another program. */
export function ownArguments(words: readonly string[]): readonly string[] | undefined {
  const rest = words[0] === "npx" ? words.slice(1) : words;
  if (rest[0] === "pulumi-inference") return untilRedirection(rest.slice(1));
  const cli = words.indexOf("cli");
  return words[0] === "npm" && cli > 0 && words[cli + 1] === "--"
    ? untilRedirection(words.slice(cli + 2))
    : undefined;
}

function untilRedirection(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => /^\d?[<>]/.test(word));
  return at < 0 ? words : words.slice(0, at);
}

/** The script of package.json that a command runs, and whether it exists; undefined if it runs none. */
export function scriptOf(words: readonly string[]): { name: string; exists: boolean } | undefined {
  if (words[0] !== "npm") return undefined;
  const name =
    words[1] === "test" ? "test" : words[1] === "run" ? words.slice(2).find(isName) : undefined;
  return name === undefined ? undefined : { name, exists: name in scripts };
}

const isName = (word: string) => !word.startsWith("-");
