import { readFileSync, statSync, watch } from "node:fs";
import { dirname } from "node:path";
import { reasonOf } from "../../../sdk/routing/object-identity.ts";

export interface WatchedFileOptions {
  readonly file: string;
  /**
   * Called immediately with the text, and again when the text changes. An error that it throws is reported as a problem
   * of the file.
   */
  readonly onText: (text: string) => void;
  /** Receives each problem of the file once. */
  readonly onProblem: (problem: string) => void;
  /** Interval of reading the file, for changes that the system does not report, in ms. Default 1,000. */
  readonly pollMs?: number | undefined;
}

/** Time without a write after which a file is read, so that a half-written file is not taken for a complete one. */
const settledMs = 50;

/** Reads a file now and after each change. Returns a function that stops this. */
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
  // Watches the folder, because a watch on the file would miss its replacement. Also polls, because some file systems
  // report no changes.
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

/** Uses the modification time of the file, because other files in its folder may change all the time. */
function isBeingWritten(file: string): boolean {
  const writtenAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const age = Date.now() - writtenAt;
  return age >= 0 && age < settledMs;
}
