import { hideTokens } from "./hidden-tokens.ts";

/** A step into a value: an object key or an array index. */
export type Path = ReadonlyArray<string | number>;

/**
 * Reason why a spec is refused. The list is closed, so that programs may match on it. `shape` is a value of the wrong
 * type or an unknown field; the others are families of rules.
 */
export type ProblemCode = "shape" | "name" | "count" | "reference" | "conflict" | "unknown-value";

/** One problem of a spec: its path, the given value, the allowed values and a fix. */
export interface Problem {
  readonly code: ProblemCode;
  readonly path: Path;
  /** The present value as text, for example `is 0`. */
  readonly given: string;
  /** The allowed values, for example `a decoder needs at least 1`. */
  readonly allowed: string;
  /** The change that the author can make, in the imperative. */
  readonly fix: string;
}

/** Formats a path as the author of a spec writes it: `roles[1].multinode.nodeCount`. */
export function formatPath(path: Path): string {
  return path
    .map((step, at) =>
      typeof step === "number"
        ? `[${step}]`
        : /^[A-Za-z_$][\w$]*$/.test(step)
          ? `${at === 0 ? "" : "."}${step}`
          : `[${JSON.stringify(step)}]`,
    )
    .join("");
}

/** Returns a clause as a sentence. */
export const sentence = (clause: string): string =>
  `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`;

/** Returns a number of characters in words: `1 character`, `5 characters`. */
export const characters = (count: number): string => `${count} character${count === 1 ? "" : "s"}`;

/** Returns a list as `a, b and c`. */
export const andList = (items: readonly string[]): string =>
  items.length < 2 ? items.join() : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;

/** Returns a list as `a, b or c`. */
export const orList = (items: ReadonlyArray<string | number>): string =>
  items.length < 2 ? items.join() : `${items.slice(0, -1).join(", ")} or ${items.at(-1)}`;

/**
 * Formats a problem as one line: `roles[1].replicas: is -1; allowed: a whole number of at least 0. Set replicas to 0
 * or more.` For a misspelled field, only the correct name is given: `roles[0].nam: unknown field "nam"; did you mean
 * name?` Tokens are hidden, because messages are stored in logs.
 */
export function formatProblem(problem: Problem): string {
  const { given, allowed, fix } = problem;
  const path = formatPath(problem.path);
  const isMisspelled = isUnknownField(problem) && fix.startsWith("Did you mean");
  const rest = isMisspelled ? `d${fix.slice(1)}` : `allowed: ${allowed}. ${fix}`;
  return hideTokens(`${path === "" ? "" : `${path}: `}${given}; ${rest}`);
}

/** Returns whether a problem is a field that its object does not have. */
export const isUnknownField = ({ code, given }: Problem): boolean =>
  code === "shape" && given.startsWith("unknown field ");

/** Orders paths by field names and list indexes, an object before its contents. */
function comparePaths(a: Path, b: Path): number {
  for (const [at, step] of a.entries()) {
    const other = b[at];
    if (other === undefined) return 1;
    if (step === other) continue;
    if (typeof step === "number" && typeof other === "number") return step - other;
    return String(step) < String(other) ? -1 : 1;
  }
  return a.length - b.length;
}

/** All problems of one spec, sorted by path. `message` lists them, one line each. */
export class SpecError extends Error {
  override readonly name = "SpecError";
  /** The refused object, for example `InferenceService "deepseek"`. */
  readonly object: string;
  readonly problems: readonly Problem[];

  constructor(object: string, found: readonly Problem[]) {
    const problems = found.toSorted((a, b) => comparePaths(a.path, b.path));
    const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
    super([`${object}: ${count}`, ...problems.map((p) => `  ${formatProblem(p)}`)].join("\n"));
    this.object = object;
    this.problems = problems;
  }
}
