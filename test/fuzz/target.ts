import type fc from "fast-check";

/** One kind of input, with its reader: throws if the input is read wrongly. A refusal is not an error. */
export interface Target {
  readonly name: string;
  readonly cases: fc.Arbitrary<unknown>;
  /** Cases that run first, such as a corpus. */
  readonly examples: readonly unknown[];
  /** Milliseconds that a case of this target may work, if that is more than for others. */
  readonly longest: number;
  run(input: never): void | Promise<void>;
}

export const target = <T>(
  name: string,
  cases: fc.Arbitrary<T>,
  run: (input: T) => void | Promise<void>,
  { examples = [], longest = 0 }: { examples?: readonly unknown[]; longest?: number } = {},
): Target => ({ name, cases, run: run as Target["run"], examples, longest });

/**
 * Returns undefined if input is refused with an error of our own. Rethrows errors of the language, such as a TypeError:
 * they are bugs.
 */
export function refused<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    assertInWords(error);
    return undefined;
  }
}

/** @throws any error that is not a refusal */
export function assertInWords(error: unknown): void {
  const isMistake =
    !(error instanceof Error) ||
    [TypeError, RangeError, ReferenceError].some((kind) => error instanceof kind);
  if (isMistake) throw error;
}
