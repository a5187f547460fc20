import { SpecError } from "../../sdk/errors.ts";
import { type LocatedProblem, ValidationError } from "../exit-code.ts";
import { located } from "./located.ts";
import type { InputManifest } from "./manifests.ts";

/**
 * Reads all objects.
 *
 * @param read throws SpecError for an object that it refuses
 * @param before problems that are already known
 * @throws ValidationError with `before` and every problem of every object
 */
export function readAll<Manifest extends InputManifest, T>(
  manifests: readonly Manifest[],
  read: (manifest: Manifest) => T,
  before: readonly LocatedProblem[] = [],
): T[] {
  const problems: LocatedProblem[] = [...before];
  const results = manifests.flatMap((manifest) => {
    const result = attempt(manifest, () => read(manifest));
    if (!Array.isArray(result)) return [result.value];
    problems.push(...result);
    return [];
  });
  if (problems.length > 0) throw new ValidationError(problems);
  return results;
}

/** Returns the result of reading an object, or all its problems in the order of its lines. */
export function attempt<T>(
  manifest: InputManifest,
  read: () => T,
): { readonly value: T } | LocatedProblem[] {
  try {
    return { value: read() };
  } catch (error) {
    if (!(error instanceof SpecError)) throw error;
    return error.problems
      .map((problem) => located(manifest, problem))
      .toSorted((a, b) => a.line - b.line);
  }
}
