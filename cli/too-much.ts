import { deepest } from "../kubernetes/values/bounded-value.ts";
import { UnreadableInput } from "./exit-code.ts";

/** Maximum size of an input, in bytes: reading needs about forty times that memory. */
export const longestInput = 16 * 2 ** 20;
/** Time limit for reading an input, in ms. */
export const readingMs = 10_000;

export const tooLong = `has more than ${longestInput} bytes`;
export const tooDeep = `is nested more than ${deepest} levels deep`;
export const tooSlow = `takes more than ${readingMs / 1_000} s`;

/** Returns the error for an input that is too large to read. */
export const tooMuch = (name: string, reason: string): UnreadableInput =>
  new UnreadableInput(
    `${name}: not read: it ${reason}; allowed: at most ${longestInput / 2 ** 20} MiB that can be read within ${readingMs / 1_000} s and contain no value inside itself. Split it, and write values instead of aliases.`,
    { line: 1, reason: `not read: it ${reason}` },
  );
