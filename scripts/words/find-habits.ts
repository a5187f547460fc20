import { type Habit, habits } from "./habits.ts";

/** Returns every habit in a file, as sentences with the line and the replacement. */
export function habitsIn(path: string, text: string): string[] {
  const lines = text.split("\n");
  return lines.flatMap((line, at) => {
    const start = path.endsWith(".md") ? undefined : commentStart(line, lines[at - 1]);
    const found = habits.filter((habit) => has(habit, line, start));
    return found.map(({ instead }) => `${path}:${at + 1}: ${line.trim()}\n  Write ${instead}`);
  });
}

const has = ({ at, pattern }: Habit, line: string, start: string | undefined): boolean =>
  at === "start" ? start !== undefined && pattern.test(start) : pattern.test(line);

/** Returns the text of a comment that starts in a line; undefined for a continued comment, or for no comment. */
function commentStart(line: string, before = ""): string | undefined {
  const [, doc] = /\/\*\*\s+(.*)$/.exec(line) ?? [];
  if (doc !== undefined) return doc;
  if (/^\s*\/\*\*\s*$/.test(before)) return /^\s*\*\s+(.*)$/.exec(line)?.[1];
  const [, note] = /^\s*\/\/ (.*)$/.exec(line) ?? [];
  return note === undefined || /^\s*\/\/ /.test(before) ? undefined : note;
}
