import type { Diagnostic, Step, StepOperation } from "./event.ts";

/** A stack output. */
export interface OutputValue {
  /** In clear, also if it is secret. `undefined` while it is unknown. */
  value: unknown;
  secret: boolean;
}

/** What an operation did or, for a preview, would do. */
export interface OperationResult {
  /** Whether all went well. A failed operation leaves a state that the next one goes on from. */
  succeeded: boolean;
  /** One for each resource, in the order of their ends. */
  steps: Step[];
  /** How many steps of each operation succeeded, and how many steps failed; what there is none of is absent. */
  summary: Partial<Record<StepOperation | "failed", number>>;
  /** The stack's outputs. After a preview they may be unknown. */
  outputs: Record<string, OutputValue>;
  /** What the program and the providers said. */
  diagnostics: Diagnostic[];
}

/** Whether an operation changed nothing, or would. */
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
