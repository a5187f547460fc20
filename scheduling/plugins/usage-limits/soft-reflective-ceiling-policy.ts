import type { PoolCeilings } from "../../flow-control/policies.ts";
import { pluginType } from "../../profiles/plugin.ts";

/** Keeps the period finite when the pool is almost full (llm-d-router, softreflectiveceiling/policy.go). */
const epsilon = 1e-9;

export const softReflectiveCeilingPolicy = pluginType({
  type: "soft-reflective-ceiling-policy",
  kinds: ["ceilings"],
  summary:
    "As the pool fills, limits bands to a share of the turns, starting with the lowest. The highest band is never limited.",
  create: () => ({ ceilings: { forPool: softReflective } }),
});

function softReflective(): PoolCeilings {
  /**
   * Turns in which a band was held back. All bands share the count, so no band is open while a higher one is closed.
   */
  let turns = 0;
  return {
    counts: true,
    ceilings(saturation, priorities) {
      const lower = priorities.length - 1;
      let isOpen = false;
      if (lower > 0 && saturation >= 1 - saturation && saturation < 1) {
        const period = Math.max(1, Math.round(saturation / (1 - saturation + epsilon)));
        turns += 1;
        isOpen = turns % period === 0;
      }
      return priorities.map((_, rank) => {
        if (rank === 0 || saturation < 1 - (rank * saturation) / lower) return 1;
        return isOpen && saturation < 1 ? 1 : 0;
      });
    },
  };
}
