import { RequestError } from "../request-error.ts";

/**
 * Sheds sheddable requests (negative priority) while the pool is full; others always pass
 * (llm-d-router, legacy admission). `saturation` is asked only where it matters.
 */
export function admit(priority: number, saturation: () => number): void {
  if (priority >= 0 || saturation() < 1) return;
  throw new RequestError("ResourceExhausted", "system saturated, sheddable request dropped", {
    reason: "rejected-saturated",
  });
}
