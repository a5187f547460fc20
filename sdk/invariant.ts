import type { Path, Problem, ProblemCode } from "./errors.ts";

/** What one violation says; the path is relative to the subject. */
export interface Finding {
  readonly path: Path;
  readonly given: string;
  readonly allowed: string;
  readonly fix: string;
}

/**
 * A rule, written once as data. The schema refuses with it, the property tests hold every plan to it,
 * the policy packs enforce it on a stack and the reference lists it.
 */
export interface Invariant<Subject> {
  /** Stable, in kebab case. */
  readonly id: string;
  readonly title: string;
  readonly why: string;
  /** The sentence or document that the rule comes from. */
  readonly source: string;
  readonly code: ProblemCode;
  check(subject: Subject): Iterable<Finding>;
}

/** Every violation of every rule by one subject. */
export function violations<Subject>(
  rules: ReadonlyArray<Invariant<Subject>>,
  subject: Subject,
): Problem[] {
  return rules.flatMap((rule) =>
    Array.from(rule.check(subject), (finding) => ({ code: rule.code, ...finding })),
  );
}
