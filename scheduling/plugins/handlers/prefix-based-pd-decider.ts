import { z } from "zod";
import { pluginType } from "../../profiles/plugin.ts";
import { promptTokens as estimatedTokens } from "../../requests/prompt-tokens.ts";
import { count } from "../parameter-types.ts";

export const prefixBasedDecider = pluginType({
  type: "prefix-based-pd-decider",
  kinds: ["decider"],
  summary: "A prefiller computes a prompt if the decoder has too little of it cached.",
  parameters: z.strictObject({
    nonCachedTokens: count
      .default(0)
      .describe("Minimum number of uncached tokens for which a prefiller is used. 0: never."),
    promptTokens: count.default(0).describe("Shorter prompts are computed by the decoder."),
  }),
  prefixCache: () => ({}),
  create({ nonCachedTokens, promptTokens }, context) {
    const cache = context.prefixCache();
    return {
      decider: {
        disaggregate(cycle, endpoint) {
          if (nonCachedTokens === 0 || endpoint === undefined) return false;
          const match = cycle.prefix(cache);
          const tokens = estimatedTokens(cycle.request);
          if (tokens < Math.max(promptTokens, nonCachedTokens)) return false;
          const uncached = tokens - match.matchedBlocks(endpoint) * match.blockTokens;
          return uncached >= nonCachedTokens;
        },
      },
    };
  },
});
