import { z } from "zod";
import { pluginType } from "../plugin.ts";

export const loadAwareScorer = pluginType({
  type: "load-aware-scorer",
  kinds: ["scorer"],
  summary:
    "Scores 0.5 for an empty queue, less for each queued request, and 0 from the threshold on.",
  parameters: z.strictObject({
    threshold: z
      .number()
      .int()
      .positive()
      .default(128)
      .describe("Number of queued requests from which the score is 0."),
  }),
  create: ({ threshold }) => ({
    scorer: {
      score: (cycle, endpoints) =>
        endpoints.map((endpoint) => {
          const waiting = cycle.metrics(endpoint)?.waitingRequests ?? threshold;
          return 0.5 * (1 - Math.min(waiting, threshold) / threshold);
        }),
    },
  }),
});
