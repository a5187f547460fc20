import { formatProblem, type Problem } from "../sdk/errors.ts";

/** What the process says to its caller. */
export const exitCode = {
  ok: 0,
  /** The input was read and something is wrong with it, or with the cluster. */
  problems: 1,
  /** The command was called wrongly, or a file cannot be read. */
  misuse: 2,
} as const;

/** The command cannot even begin: ends with exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** An input that cannot be read, with the line of the first fault. */
export class UnreadableInput extends UsageError {
  readonly line: number;
  /** In words, without the file: `is not valid YAML (...)`. */
  readonly reason: string;

  constructor(message: string, { line, reason }: { line: number; reason: string }) {
    super(message);
    this.line = line;
    this.reason = reason;
  }
}

/** A problem and where it was found: the file and, where there are several, the document. */
export interface LocatedProblem {
  /** Empty where there is only one place to look. */
  readonly location: string;
  readonly problem: Problem;
}

/** Everything wrong with the input: ends with exit code 1. */
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
