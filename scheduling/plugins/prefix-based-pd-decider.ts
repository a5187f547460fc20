import { z } from "zod";
import { pluginType } from "../plugin.ts";
import { promptTokens as estimatedTokens } from "../prompt-tokens.ts";

export const prefixBasedDecider = pluginType({
  type: "prefix-based-pd-decider",
  kinds: ["decider"],
  summary: "A prompt is prefilled by a prefiller if the decoder has too little of it cached.",
  parameters: z.strictObject({
    nonCachedTokens: z.number().int().min(0).default(0).describe("0: never."),
    promptTokens: z.number().int().min(0).default(0).describe("Shorter prompts stay."),
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
