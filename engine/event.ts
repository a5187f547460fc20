/** What an operation does to one resource. */
export type StepOperation = "same" | "create" | "update" | "replace" | "delete" | "read";

/** One resource of an operation: what happened to it, or would. */
export interface Step {
  operation: StepOperation;
  urn: string;
  type: string;
  name: string;
  /** URN of the parent; empty for the stack and for default providers. */
  parent: string;
  /** False for components. */
  custom: boolean;
  /** The provider's id, absent while it is unknown. */
  id?: string;
  /** Paths of the inputs that change, for updates and replacements. */
  changedPaths?: string[];
  /** Those that ask for the replacement. */
  replacePaths?: string[];
  /** The old object goes before the new one comes. */
  deleteBeforeReplace?: boolean;
  /** The URN the resource had in the state. */
  formerUrn?: string;
  /** Why the step failed. */
  error?: string;
}

export type Severity = "info" | "warning" | "error";

export interface Diagnostic {
  severity: Severity;
  message: string;
  /** The resource it is about, if it is about one. */
  urn?: string;
}

/** The progress of an operation, in the order of things. */
export type EngineEvent =
  | { kind: "step-started"; step: Step }
  | { kind: "step-finished"; step: Step }
  /** What a step is waiting for. The next one of the same URN takes its place. */
  | { kind: "status"; urn: string; message: string }
  | { kind: "diagnostic"; diagnostic: Diagnostic }
  /** What the program prints. */
  | { kind: "program-output"; stream: "stdout" | "stderr"; text: string };

export type EventListener = (event: EngineEvent) => void;
