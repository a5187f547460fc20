import { z } from "zod";
import { pluginType } from "../../profiles/plugin.ts";
import { positiveCount } from "../parameter-types.ts";
import { inFlightLoadProducerName } from "../producers/producer-names.ts";

export const tokenLoadScorer = pluginType({
  type: "token-load-scorer",
  kinds: ["scorer"],
  summary: "1 - (in-flight tokens + the request's uncached tokens) / threshold.",
  parameters: z.strictObject({
    queueThresholdTokens: positiveCount.default(4_194_304),
    inFlightLoadProducerName,
  }),
  create: ({ queueThresholdTokens: threshold }) => ({
    scorer: {
      score: (cycle, endpoints) =>
        endpoints.map((endpoint) => {
          const tokens = endpoint.live.runningTokens + cycle.uncachedTokens(endpoint);
          return 1 - Math.min(tokens, threshold) / threshold;
        }),
    },
  }),
});
