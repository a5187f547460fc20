import type { PropertyMap } from "./property-value.ts";

/** Effect of an operation on one resource. */
export type StepOperation = "same" | "create" | "update" | "replace" | "delete" | "read";

/** Step of an operation on one resource, performed or previewed. */
export interface Step {
  operation: StepOperation;
  urn: string;
  type: string;
  name: string;
  /** URN of the parent; empty for the stack and for default providers. */
  parent: string;
  /** Whether a provider manages the resource; false for components. */
  custom: boolean;
  /** Id that the provider assigned; undefined while it is unknown. */
  id?: string;
  /** Paths of the inputs that change, for updates and replacements. */
  changedPaths?: string[];
  /** Paths of the inputs whose change requires the replacement. */
  replacePaths?: string[];
  /** Whether the old object is deleted before the new one is created. */
  deleteBeforeReplace?: boolean;
  /** Former URN of the resource in the state. */
  formerUrn?: string;
  /** Inputs in the state, for steps on an existing resource. Secrets are replaced by `[secret]`. */
  oldInputs?: PropertyMap;
  /** Inputs of the program, after the provider's check. Secrets are replaced by `[secret]`. */
  newInputs?: PropertyMap;
  /** Reason that the step failed. */
  error?: string;
}

export type Severity = "info" | "warning" | "error";

export interface Diagnostic {
  severity: Severity;
  message: string;
  /** URN of the resource that the diagnostic concerns, if any. */
  urn?: string;
}

/** Progress of an operation, in chronological order. */
export type EngineEvent =
  | { kind: "step-started"; step: Step }
  | { kind: "step-finished"; step: Step }
  /** Reason that a step is waiting. It is valid until the next status of the same URN. */
  | { kind: "status"; urn: string; message: string }
  | { kind: "diagnostic"; diagnostic: Diagnostic }
  /** Output of the program. */
  | { kind: "program-output"; stream: "stdout" | "stderr"; text: string };

export type EventListener = (event: EngineEvent) => void;
