import { z } from "zod";
import { pluginType } from "../../scheduling/profiles/plugin.ts";

/** A scorer as a contributor would write it: a file, and a line in `scheduling/plugins/index.ts`. */
export const idleScorer = pluginType({
  type: "idle-scorer",
  kinds: ["scorer"],
  summary: "1 for endpoints that run fewer requests than the threshold, 0 for the others.",
  parameters: z.strictObject({
    threshold: z.int().positive().default(1).describe("Number of running requests."),
  }),
  create: ({ threshold }) => ({
    scorer: {
      score: (_cycle, endpoints) =>
        endpoints.map(({ live }) => (live.runningRequests < threshold ? 1 : 0)),
    },
  }),
});
