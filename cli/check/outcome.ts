import type { PolicyInfo, PolicyViolation } from "../analyzer/analyzer-process.ts";

/** The place in the user's files that a finding is about. */
export interface Location {
  /** As people read it: `stack.yaml, document 2`, or a resource's name. */
  readonly name: string;
  /** Path of the file from the working directory; absent for standard input. */
  readonly file?: string;
  /** Line in the file, from 1. */
  readonly line?: number;
  readonly urn?: string;
}

export interface Finding extends Omit<PolicyViolation, "urn"> {
  /** Absent where it is about the stack as a whole. */
  readonly location?: Location;
}

/** What a check found. */
export interface Outcome {
  /** Every policy that was asked. */
  readonly policies: readonly PolicyInfo[];
  readonly findings: readonly Finding[];
  /** How many objects were checked. */
  readonly objects: number;
  /** Why a program could not be checked to its end. */
  readonly errors: readonly string[];
}

/** Wrong, wrong but allowed, and what cannot be told before the update. */
export type Weight = "error" | "warning" | "unknown";

export function weightOf({ isKnown, level }: Finding): Weight {
  if (!isKnown) return "unknown";
  return level === "advisory" ? "warning" : "error";
}

/** Whether nothing mandatory is violated. */
export const isClean = ({ findings, errors }: Outcome): boolean =>
  errors.length === 0 && findings.every((finding) => weightOf(finding) !== "error");
