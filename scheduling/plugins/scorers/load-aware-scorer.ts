import { z } from "zod";
import { pluginType } from "../../profiles/plugin.ts";
import { positiveCount } from "../parameter-types.ts";

export const loadAwareScorer = pluginType({
  type: "load-aware-scorer",
  kinds: ["scorer"],
  summary: "0.5 for an empty queue, falling to 0 at the threshold.",
  parameters: z.strictObject({
    threshold: positiveCount.default(128).describe("Number of waiting requests."),
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
