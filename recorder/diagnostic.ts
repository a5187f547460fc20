export type Severity = "info" | "warning" | "error";

/** A message of the program, of a policy, or about a resource. */
export interface Diagnostic {
  severity: Severity;
  message: string;
  /** URN of the resource that the diagnostic concerns, if any. */
  urn?: string;
}
