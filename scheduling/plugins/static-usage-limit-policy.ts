import { z } from "zod";
import { pluginType } from "../plugin.ts";

export const staticUsageLimitPolicy = pluginType({
  type: "static-usage-limit-policy",
  kinds: ["ceilings"],
  summary: "Every band may dispatch up to the same saturation.",
  parameters: z.strictObject({
    threshold: z.number().default(1).describe("The ceiling of every band."),
  }),
  create: ({ threshold }) => ({
    ceilings: { forPool: () => ({ ceilings: (_, priorities) => priorities.map(() => threshold) }) },
  }),
});
