import type { Path, Problem, ProblemCode } from "./errors.ts";

/** The texts of a finding, the same as in a problem. */
export interface FindingText {
  readonly given: string;
  readonly allowed: string;
  readonly fix: string;
}

/** One violation of a rule. The path is relative to the checked object. */
export interface Finding extends FindingText {
  readonly path: Path;
}

/**
 * Rule as data. Validation and the policy packs enforce it, property tests check every plan against it, and the
 * reference lists it.
 */
export interface Invariant<Subject> {
  /** Stable id, in kebab case. */
  readonly id: string;
  readonly title: string;
  readonly why: string;
  /** Sentence or document that the rule is based on. */
  readonly source: string;
  readonly code: ProblemCode;
  check(subject: Subject): Iterable<Finding>;
}

/** Returns every violation of the rules by one object. */
export function violations<Subject>(
  rules: ReadonlyArray<Invariant<Subject>>,
  subject: Subject,
): Problem[] {
  return rules.flatMap((rule) =>
    Array.from(rule.check(subject), (finding) => ({ code: rule.code, ...finding })),
  );
}
