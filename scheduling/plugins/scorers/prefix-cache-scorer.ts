import { z } from "zod";
import type { PrefixCache } from "../../prefix-cache/prefix-match.ts";
import { pluginType, type Scorer } from "../../profiles/plugin.ts";
import { positiveCount, share } from "../parameter-types.ts";
import { prefixMatchInfoProducerName } from "../producers/producer-names.ts";

export const prefixCacheScorer = pluginType({
  type: "prefix-cache-scorer",
  kinds: ["scorer"],
  summary: "Share of the prompt's blocks, from the start, that the endpoint has cached.",
  parameters: z.strictObject({
    prefixMatchInfoProducerName,
    matchLengthWeight: share
      .default(0)
      .describe("Share of the score that depends on the square of the matched length."),
    matchLengthScaleTokens: positiveCount
      .default(8192)
      .describe("Matched length that gives the full score."),
  }),
  prefixCache: ({ prefixMatchInfoProducerName: producer }) => ({ producer }),
  create: ({ matchLengthWeight, matchLengthScaleTokens }, context) => ({
    scorer: shareCached(context.prefixCache(), matchLengthWeight, matchLengthScaleTokens),
  }),
});

/** Scores the share of the prompt that each endpoint has cached. */
export const shareCached = (
  cache: PrefixCache,
  lengthWeight: number,
  scaleTokens: number,
): Scorer => ({
  score(cycle, endpoints) {
    const match = cycle.prefix(cache);
    const { totalBlocks, blockTokens } = match;
    if (totalBlocks === 0) return new Float64Array(endpoints.length);
    return match.matchedIn(endpoints).map((matched) => {
      const length = Math.min(1, (matched * blockTokens) / scaleTokens);
      return (1 - lengthWeight) * (matched / totalBlocks) + lengthWeight * length ** 2;
    });
  },
});
