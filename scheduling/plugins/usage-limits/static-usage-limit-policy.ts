import { z } from "zod";
import { pluginType } from "../../profiles/plugin.ts";

export const staticUsageLimitPolicy = pluginType({
  type: "static-usage-limit-policy",
  kinds: ["ceilings"],
  summary: "Gives every band the same ceiling.",
  parameters: z.strictObject({
    threshold: z.number().default(1).describe("Ceiling of every band."),
  }),
  create: ({ threshold }) => ({
    ceilings: { forPool: () => ({ ceilings: (_, priorities) => priorities.map(() => threshold) }) },
  }),
});
