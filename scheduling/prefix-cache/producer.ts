import {
  type ApproxPrefixCacheParameters,
  defaultBlockTokens,
} from "../config/plugins/data-plugins.ts";
import { PrefixCache } from "./prefix-cache.ts";

export function prefixCacheOf(parameters: ApproxPrefixCacheParameters): PrefixCache {
  const { autoTune, blockSizeTokens, blockSize, maxPrefixTokensToMatch } = parameters;
  const isDefault = blockSizeTokens === defaultBlockTokens;
  return new PrefixCache({
    autoTune,
    blockTokens: isDefault && blockSize > 0 ? blockSize : blockSizeTokens,
    maxTokens: maxPrefixTokensToMatch || Number.POSITIVE_INFINITY,
    maxBlocks:
      maxPrefixTokensToMatch > 0
        ? Number.POSITIVE_INFINITY
        : parameters.maxPrefixBlocksToMatch || Number.POSITIVE_INFINITY,
    capacity: parameters.lruCapacityPerServer || 31_250,
  });
}
