import type { Unchecked } from "../../sdk/rules/helpers/unchecked.ts";
import type { PolicyInfo, PolicyViolation } from "../analyzer/analyzer-process.ts";

/** The location of a finding in the user's files. */
export interface Location {
  /** Text such as `stack.yaml, document 2`, or the name of a resource. */
  readonly name: string;
  /** Path of the file from the working directory; absent for standard input. */
  readonly file?: string;
  /** Line in the file, from 1. */
  readonly line?: number;
  readonly urn?: string;
}

export interface Violation extends Omit<PolicyViolation, "urn"> {
  /** Absent for a finding about the whole stack. */
  readonly location?: Location;
}

/** The result of a check. */
export interface Outcome {
  /** All policies that have run. */
  readonly policies: readonly PolicyInfo[];
  readonly findings: readonly Violation[];
  /** Number of checked objects. */
  readonly objects: number;
  /** Checks that no rule could make, because a fact is missing. */
  readonly unchecked: readonly Unchecked[];
  /** Reasons why a program could not be checked to its end. */
  readonly errors: readonly string[];
}

/** A violation, an allowed violation, or a value that is unknown before the update. */
export type Weight = "error" | "warning" | "unknown";

export function weightOf({ isKnown, level }: Violation): Weight {
  if (!isKnown) return "unknown";
  return level === "advisory" ? "warning" : "error";
}

/** Whether no mandatory policy is violated. */
export const isClean = ({ findings, errors }: Outcome): boolean =>
  errors.length === 0 && findings.every((finding) => weightOf(finding) !== "error");
