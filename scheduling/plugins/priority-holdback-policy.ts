import { z } from "zod";
import { pluginType } from "../plugin.ts";

export const priorityHoldbackPolicy = pluginType({
  type: "priority-holdback-policy",
  kinds: ["ceilings"],
  summary: "The lower a band, the lower the saturation up to which it may dispatch.",
  parameters: z
    .strictObject({
      shape: z.literal("linear").default("linear"),
      domain: z
        .enum(["rank", "value"])
        .default("rank")
        .describe("Whether bands are as far apart as their ranks or as their priorities."),
      minCeiling: z.number().min(0).lt(1).describe("The lowest band's."),
      maxCeiling: z.number().positive().max(1).default(1).describe("The highest band's."),
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
