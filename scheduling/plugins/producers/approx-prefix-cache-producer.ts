import { z } from "zod";
import type { Replicas } from "../../endpoints/rendezvous.ts";
import { ApproxPrefixCache } from "../../prefix-cache/prefix-cache.ts";
import { count } from "../parameter-types.ts";
import type { DataPlugin } from "./data-plugin.ts";

/** Tokens per block, if neither configuration nor server sets them. */
const defaultBlockTokens = 16;

/** Parameters of approx-prefix-cache-producer (llm-d-router, dataproducer/approximateprefix). */
export const approxPrefixCacheParameters = z
  .strictObject({
    autoTune: z
      .boolean()
      .default(true)
      .describe("Sets block size and capacity from the servers' metrics."),
    blockSizeTokens: count.default(defaultBlockTokens),
    blockSize: count.default(0).describe("Old name of blockSizeTokens."),
    maxPrefixTokensToMatch: count
      .default(131_072)
      .describe("Longest prefix to match, in tokens. 0: maxPrefixBlocksToMatch applies."),
    maxPrefixBlocksToMatch: count.default(2048).describe("0: no limit."),
    prefixHashSource: z.string().optional().describe("Not used: the picker hashes prompts."),
    lruCapacityPerServer: count
      .default(31250)
      .describe("Blocks kept for a server whose metrics do not report its number of blocks."),
  })
  .refine(({ autoTune, blockSizeTokens }) => autoTune || blockSizeTokens > 0, {
    message: "without autoTune it must be above 0",
    path: ["blockSizeTokens"],
  });

export type ApproxPrefixCacheParameters = z.infer<typeof approxPrefixCacheParameters>;

export const prefixCacheProducer = {
  type: "approx-prefix-cache-producer",
  summary:
    "Remembers which prompts the picker sent to each endpoint. Created automatically if a plugin needs it.",
  parameters: approxPrefixCacheParameters,
} satisfies DataPlugin;

/** Creates the cache of a producer. */
export function prefixCacheOf(
  parameters: ApproxPrefixCacheParameters,
  replicas?: Replicas,
): ApproxPrefixCache {
  const { autoTune, blockSizeTokens, blockSize, maxPrefixTokensToMatch } = parameters;
  const isDefault = blockSizeTokens === defaultBlockTokens;
  const options = {
    autoTune,
    blockTokens: isDefault && blockSize > 0 ? blockSize : blockSizeTokens,
    maxTokens: maxPrefixTokensToMatch || Number.POSITIVE_INFINITY,
    maxBlocks:
      maxPrefixTokensToMatch > 0
        ? Number.POSITIVE_INFINITY
        : parameters.maxPrefixBlocksToMatch || Number.POSITIVE_INFINITY,
    capacity: parameters.lruCapacityPerServer || 31250,
  };
  return new ApproxPrefixCache(options, replicas);
}
