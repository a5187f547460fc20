import { z } from "zod";
import { PrefixCache } from "./prefix-cache.ts";

/** Engine block size where no server tells its own. */
const defaultBlockTokens = 16;

export const approxPrefixCacheParameters = z
  .strictObject({
    autoTune: z.boolean().default(true),
    blockSizeTokens: z.number().int().min(0).default(0),
    blockSize: z.number().int().min(0).default(0).describe("Deprecated, in characters."),
    maxPrefixBlocksToMatch: z.number().int().min(0).default(0),
    maxPrefixTokensToMatch: z.number().int().min(0).default(131_072),
    lruCapacityPerServer: z.number().int().positive().default(31_250),
  })
  .refine(({ autoTune, blockSizeTokens }) => autoTune || blockSizeTokens > 0, {
    message: "autoTune: false needs blockSizeTokens, a number of tokens above 0",
    path: ["blockSizeTokens"],
  });

export type ApproxPrefixCacheParameters = z.infer<typeof approxPrefixCacheParameters>;

export function prefixCacheOf(parameters: ApproxPrefixCacheParameters): PrefixCache {
  const { autoTune, blockSizeTokens, maxPrefixBlocksToMatch, maxPrefixTokensToMatch } = parameters;
  const blockTokens = blockSizeTokens || defaultBlockTokens;
  const maxTokens =
    maxPrefixBlocksToMatch > 0 ? maxPrefixBlocksToMatch * blockTokens : maxPrefixTokensToMatch;
  return new PrefixCache({
    autoTune,
    blockTokens,
    maxTokens: maxTokens || 131_072,
    capacity: parameters.lruCapacityPerServer,
  });
}
