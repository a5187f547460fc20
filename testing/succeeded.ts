import { expect } from "vitest";

interface Result {
  readonly succeeded: boolean;
  readonly diagnostics: readonly { readonly severity: string }[];
}

/** Returns the result of an operation, which must succeed without an error. */
export function succeeded<Of extends Result>(result: Of): Of {
  expect(result.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  expect(result.succeeded).toBe(true);
  return result;
}
