import { z } from "zod";
import { pluginType } from "../../profiles/plugin.ts";
import { count, share } from "../parameter-types.ts";
import { inFlightLoadProducerName } from "../producers/producer-names.ts";

export const activeRequestScorer = pluginType({
  type: "active-request-scorer",
  kinds: ["scorer"],
  summary:
    "1 for an idle endpoint; for a busy endpoint, 1 - its requests / the highest number of requests on any endpoint.",
  parameters: z.strictObject({
    requestTimeout: z.string().optional().describe("Not used."),
    idleThreshold: count
      .default(0)
      .describe("Number of requests up to which an endpoint counts as idle."),
    maxBusyScore: share.default(1).describe("Factor for the scores of busy endpoints."),
    inFlightLoadProducerName,
  }),
  create: ({ idleThreshold, maxBusyScore }) => ({
    scorer: {
      score(_, endpoints) {
        const counts = endpoints.map(({ live }) => live.runningRequests);
        const most = Math.max(...counts);
        return counts.map((own) =>
          own <= idleThreshold ? 1 : ((most - own) / most) * maxBusyScore,
        );
      },
    },
  }),
});
