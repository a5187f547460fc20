import { z } from "zod";
import { pluginType } from "../plugin.ts";
import { inFlightLoadProducerName } from "./producer-names.ts";

export const activeRequestScorer = pluginType({
  type: "active-request-scorer",
  kinds: ["scorer"],
  summary:
    "Scores an idle endpoint 1, and a busy one lower the more requests it runs relative to the busiest endpoint.",
  parameters: z.strictObject({
    requestTimeout: z.string().optional().describe("Not used."),
    idleThreshold: z
      .number()
      .int()
      .min(0)
      .default(0)
      .describe("Maximum number of running requests of an idle endpoint."),
    maxBusyScore: z
      .number()
      .min(0)
      .max(1)
      .default(1)
      .describe("Factor that multiplies the scores of busy endpoints."),
    inFlightLoadProducerName,
  }),
  create: ({ idleThreshold, maxBusyScore }) => ({
    scorer: {
      score(_, endpoints) {
        const counts = endpoints.map(({ live }) => live.runningRequests);
        const most = Math.max(...counts);
        return counts.map((count) =>
          count <= idleThreshold ? 1 : ((most - count) / most) * maxBusyScore,
        );
      },
    },
  }),
});
