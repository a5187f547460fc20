import type { Diagnostic, Step, StepOperation } from "./event.ts";

/** Stack output. */
export interface OutputValue {
  /** Value in clear text, even if it is secret. `undefined` while it is unknown. */
  value: unknown;
  secret: boolean;
}

/** Result of an operation. For a preview, the result that the operation would have. */
export interface OperationResult {
  /** Whether the operation succeeded. After a failure, the next operation continues from the saved state. */
  succeeded: boolean;
  /** Steps, one per resource, in the order in which they ended. */
  steps: Step[];
  /** Number of successful steps by operation, and number of failed steps. Entries with 0 are omitted. */
  summary: Partial<Record<StepOperation | "failed", number>>;
  /** Outputs of the stack. After a preview they may be unknown. */
  outputs: Record<string, OutputValue>;
  /** Messages of the program and the providers. */
  diagnostics: Diagnostic[];
}

/** Reports whether an operation changed nothing, or would change nothing. */
export function isUnchanged({ summary }: OperationResult): boolean {
  return Object.keys(summary).every((operation) => operation === "same" || operation === "read");
}

export function countSteps(steps: readonly Step[]): OperationResult["summary"] {
  const summary: OperationResult["summary"] = {};
  for (const { operation, error } of steps) {
    const kind = error === undefined ? operation : "failed";
    summary[kind] = (summary[kind] ?? 0) + 1;
  }
  return summary;
}
