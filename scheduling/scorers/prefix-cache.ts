import * as scorers from "../config/plugins/scorers.ts";
import { pluginType, type Scorer } from "../plugin.ts";
import type { PrefixCache } from "../prefix-cache/prefix-cache.ts";

export const prefixCacheScorer = pluginType({
  ...scorers.prefixCacheScorer,
  create: ({ matchLengthWeight, matchLengthScaleTokens }, context) => ({
    scorer: shareCached(context.prefixCache(), matchLengthWeight, matchLengthScaleTokens),
  }),
});

export const precisePrefixCacheScorer = pluginType({
  ...scorers.precisePrefixCacheScorer,
  create: (_, context) => ({ scorer: shareCached(context.prefixCache(), 0, 1) }),
});

const shareCached = (cache: PrefixCache, lengthWeight: number, scaleTokens: number): Scorer => ({
  score(cycle, endpoints) {
    const match = cycle.prefix(cache);
    const { totalBlocks, blockTokens } = match;
    if (totalBlocks === 0) return new Float64Array(endpoints.length);
    return endpoints.map((endpoint) => {
      const matched = match.matchedBlocks(endpoint);
      const length = Math.min(1, (matched * blockTokens) / scaleTokens);
      return (1 - lengthWeight) * (matched / totalBlocks) + lengthWeight * length ** 2;
    });
  },
});
