import type { Finding } from "../../invariant.ts";

/** A field whose value does not go with others. */
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
