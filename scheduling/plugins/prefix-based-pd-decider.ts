import { z } from "zod";
import { pluginType } from "../plugin.ts";
import { promptTokens as estimatedTokens } from "../prompt-tokens.ts";

export const prefixBasedDecider = pluginType({
  type: "prefix-based-pd-decider",
  kinds: ["decider"],
  summary: "Sends a prompt to a prefiller if too little of it is cached at the decoder.",
  parameters: z.strictObject({
    nonCachedTokens: z
      .number()
      .int()
      .min(0)
      .default(0)
      .describe(
        "Minimum number of prompt tokens not cached at the decoder. 0: prompts are never sent.",
      ),
    promptTokens: z
      .number()
      .int()
      .min(0)
      .default(0)
      .describe("Minimum length in tokens of a prompt that is sent to a prefiller."),
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
