import { expect } from "vitest";
import type { OperationResult } from "../engine/index.ts";

/** Returns the result of an operation, which must succeed without an error. */
export function succeeded(result: OperationResult): OperationResult {
  expect(result.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  expect(result.succeeded).toBe(true);
  return result;
}
