import { z } from "zod";
import { pluginType } from "../plugin.ts";
import { inFlightLoadProducerName } from "../producer-names.ts";

/** Scorers of what the picker itself has sent and not seen end. */

export const activeRequestScorer = pluginType({
  type: "active-request-scorer",
  summary: "1 for an idle endpoint; busy ones by their share of the busiest one's requests.",
  parameters: z.strictObject({
    requestTimeout: z.string().optional().describe("Not used."),
    idleThreshold: z
      .number()
      .int()
      .min(0)
      .default(0)
      .describe("Requests with which an endpoint still is idle."),
    maxBusyScore: z
      .number()
      .min(0)
      .max(1)
      .default(1)
      .describe("What busy endpoints' scores are multiplied by."),
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

export const tokenLoadScorer = pluginType({
  type: "token-load-scorer",
  summary: "1 - (tokens on their way + this request's uncached ones) / threshold.",
  parameters: z.strictObject({
    queueThresholdTokens: z.number().int().positive().default(4_194_304),
    inFlightLoadProducerName,
  }),
  create({ queueThresholdTokens: threshold }, context) {
    const cache = context.prefixCache();
    return {
      scorer: {
        score(cycle, endpoints) {
          const match = cycle.prefix(cache);
          return endpoints.map((endpoint) => {
            const tokens = endpoint.live.runningTokens + match.uncachedTokens(endpoint);
            return 1 - Math.min(tokens, threshold) / threshold;
          });
        },
      },
    };
  },
});
