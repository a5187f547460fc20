import * as deciders from "../config/plugins/deciders.ts";
import { pluginType } from "../plugin.ts";
import { promptTokens as estimatedTokens } from "../prompt-tokens.ts";

export const alwaysDisaggregate = pluginType({
  ...deciders.alwaysDisaggregate,
  create: () => ({ decider: { disaggregate: () => true } }),
});

export const prefixBasedDecider = pluginType({
  ...deciders.prefixBasedDecider,
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

export const multimodalDecider = pluginType({
  ...deciders.multimodalDecider,
  create: () => ({ decider: { disaggregate: () => false } }),
});
