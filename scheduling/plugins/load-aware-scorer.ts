import { z } from "zod";
import { pluginType } from "../plugin.ts";

export const loadAwareScorer = pluginType({
  type: "load-aware-scorer",
  kinds: ["scorer"],
  summary: "0.5 with an empty queue, less with every waiting request, 0 from the threshold on.",
  parameters: z.strictObject({
    threshold: z.number().int().positive().default(128).describe("Waiting requests."),
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
