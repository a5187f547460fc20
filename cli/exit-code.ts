import { formatProblem, type Problem } from "../sdk/errors.ts";

/** Exit codes of the process. */
export const exitCode = {
  ok: 0,
  /** The input was read and has a problem, or the cluster has. */
  problems: 1,
  /** The command line is invalid, or a file cannot be read. */
  misuse: 2,
} as const;

/** The command cannot start: ends with exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** An unreadable input, with the line of the first fault. */
export class UnreadableInput extends UsageError {
  readonly line: number;
  /** Reason without the file: `is not valid YAML (...)`. */
  readonly reason: string;

  constructor(message: string, { line, reason }: { line: number; reason: string }) {
    super(message);
    this.line = line;
    this.reason = reason;
  }
}

/** A problem and its location: the file, and the document if there are several. */
export interface LocatedProblem {
  /** Empty if there is only one possible location. */
  readonly location: string;
  readonly problem: Problem;
}

/** All problems of the input: ends with exit code 1. */
export class ValidationError extends Error {
  override readonly name = "ValidationError";
  readonly problems: readonly LocatedProblem[];

  constructor(problems: readonly LocatedProblem[]) {
    super(problems.map(formatLocated).join("\n"));
    this.problems = problems;
  }
}

/** `a.yaml, document 2: roles[1].replicas: is -1; allowed: ...` */
function formatLocated({ location, problem }: LocatedProblem): string {
  return `${location === "" ? "" : `${location}: `}${formatProblem(problem)}`;
}
