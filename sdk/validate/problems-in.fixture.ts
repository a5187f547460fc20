import { type Problem, SpecError } from "../errors.ts";

/** Returns what is wrong with a spec; nothing if it is read. */
export function problemsIn(read: () => unknown): readonly Problem[] {
  try {
    read();
  } catch (error) {
    if (error instanceof SpecError) return error.problems;
    throw error;
  }
  return [];
}
