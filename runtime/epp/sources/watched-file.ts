import { readFileSync, statSync, watch } from "node:fs";
import { dirname } from "node:path";
import { reasonOf } from "../../../sdk/routing/object-identity.ts";

export interface WatchedFileOptions {
  readonly file: string;
  /** Called with the text at once, and with every other text. What it throws is told as the file's problem. */
  readonly onText: (text: string) => void;
  /** Receives each problem of the file once. */
  readonly onProblem: (problem: string) => void;
  /** Milliseconds between looks at a file whose changes the system does not tell. Default 1,000. */
  readonly pollMs?: number | undefined;
}

/** How long a file has to be left alone, in milliseconds, so that a half-written one is not taken for the whole. */
const settledMs = 50;

/** Reads a file, and again when it changes. Answers what ends that. */
export function watchFile({
  file,
  onText,
  onProblem,
  pollMs = 1_000,
}: WatchedFileOptions): () => void {
  let known: string | undefined;
  let reportedProblem: string | undefined;
  const read = () => {
    try {
      const text = readFileSync(file, "utf8");
      if (text === known) return;
      known = text;
      onText(text);
      reportedProblem = undefined;
    } catch (error) {
      const problem = reasonOf(error);
      if (problem !== reportedProblem) onProblem(problem);
      reportedProblem = problem;
    }
  };
  read();
  let soon: NodeJS.Timeout | undefined;
  const readSoon = () => {
    soon ??= setTimeout(() => {
      soon = undefined;
      if (isBeingWritten(file)) readSoon();
      else read();
    }, settledMs);
  };
  // The folder, since a file that is replaced is not the one that was watched; and a look now and then, since some
  // file systems tell nothing.
  const watcher = watchFolder(dirname(file), readSoon);
  const poll = setInterval(readSoon, pollMs);
  return () => {
    watcher?.close();
    clearInterval(poll);
    clearTimeout(soon);
  };
}

function watchFolder(folder: string, onEvent: () => void) {
  try {
    return watch(folder, onEvent).on("error", () => {});
  } catch {
    return undefined;
  }
}

/** By its own time alone, since others may write to its folder without end. */
function isBeingWritten(file: string): boolean {
  const writtenAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const age = Date.now() - writtenAt;
  return age >= 0 && age < settledMs;
}
