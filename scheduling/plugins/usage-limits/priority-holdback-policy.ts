import { z } from "zod";
import { pluginType } from "../../profiles/plugin.ts";

export const priorityHoldbackPolicy = pluginType({
  type: "priority-holdback-policy",
  kinds: ["ceilings"],
  summary: "Gives lower bands a lower ceiling.",
  parameters: z
    .strictObject({
      shape: z.literal("linear").default("linear"),
      domain: z
        .enum(["rank", "value"])
        .default("rank")
        .describe("Spaces the ceilings by the bands' ranks or by their priority values."),
      minCeiling: z.number().min(0).lt(1).describe("Ceiling of the lowest band."),
      maxCeiling: z.number().positive().max(1).default(1).describe("Ceiling of the highest band."),
    })
    .refine(({ minCeiling, maxCeiling }) => minCeiling < maxCeiling, {
      message: "minCeiling must be below maxCeiling",
      path: ["minCeiling"],
    }),
  create({ domain, minCeiling, maxCeiling }) {
    const range = maxCeiling - minCeiling;
    const byRank = (priorities: readonly number[]) =>
      priorities.map((_, rank) => maxCeiling - (rank * range) / (priorities.length - 1));
    const byValue = (priorities: readonly number[]) => {
      const highest = priorities[0] as number;
      const lowest = priorities.at(-1) as number;
      return priorities.map(
        (priority) => minCeiling + ((priority - lowest) / (highest - lowest)) * range,
      );
    };
    return {
      ceilings: {
        forPool: () => ({
          ceilings(_, priorities) {
            if (priorities.length < 2) return priorities.map(() => maxCeiling);
            return domain === "rank" ? byRank(priorities) : byValue(priorities);
          },
        }),
      },
    };
  },
});
