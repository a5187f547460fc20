import type { Finding } from "../../invariant.ts";

/** Returns the finding for a field whose value does not match other fields. */
export const mismatch = (
  path: readonly (string | number)[],
  field: string,
  given: unknown,
  allowed: string,
): Finding => ({
  path: [...path, field],
  given: `is ${String(given)}`,
  allowed,
  fix: "Change it to the allowed value.",
});
