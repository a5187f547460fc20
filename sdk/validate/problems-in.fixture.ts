import { type Problem, SpecError } from "../errors.ts";

/** Returns the problems of a spec; empty if it is valid. */
export function problemsIn(read: () => unknown): readonly Problem[] {
  try {
    read();
  } catch (error) {
    if (error instanceof SpecError) return error.problems;
    throw error;
  }
  return [];
}
