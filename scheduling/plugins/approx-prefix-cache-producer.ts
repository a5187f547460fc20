import { z } from "zod";
import { ApproxPrefixCache } from "../prefix-cache/prefix-cache.ts";
import type { Replicas } from "../rendezvous.ts";
import type { DataPlugin } from "./data-plugin.ts";

/** Tokens of a block where neither configuration nor server tell. */
const defaultBlockTokens = 16;

/** Parameters of approx-prefix-cache-producer (llm-d-router, dataproducer/approximateprefix). */
export const approxPrefixCacheParameters = z
  .strictObject({
    autoTune: z
      .boolean()
      .default(true)
      .describe("Whether block size and capacity are read from the servers' metrics."),
    blockSizeTokens: z.number().int().min(0).default(defaultBlockTokens),
    blockSize: z.number().int().min(0).default(0).describe("Older name of blockSizeTokens."),
    maxPrefixTokensToMatch: z
      .number()
      .int()
      .min(0)
      .default(131_072)
      .describe("Maximum number of prompt tokens to match. 0: limited by maxPrefixBlocksToMatch."),
    maxPrefixBlocksToMatch: z
      .number()
      .int()
      .min(0)
      .default(2048)
      .describe("Maximum number of prompt blocks to match. 0: no limit."),
    prefixHashSource: z.string().optional().describe("Not used: the picker hashes prompts itself."),
    lruCapacityPerServer: z
      .number()
      .int()
      .min(0)
      .default(31250)
      .describe(
        "Maximum number of blocks in the index of a server that does not report its number of blocks.",
      ),
  })
  .refine(({ autoTune, blockSizeTokens }) => autoTune || blockSizeTokens > 0, {
    message: "without autoTune it must be above 0",
    path: ["blockSizeTokens"],
  });

export type ApproxPrefixCacheParameters = z.infer<typeof approxPrefixCacheParameters>;

export const prefixCacheProducer = {
  type: "approx-prefix-cache-producer",
  summary:
    "Records which prompts were sent to which endpoint. Created automatically if a plugin needs it.",
  parameters: approxPrefixCacheParameters,
} satisfies DataPlugin;

/** Makes the cache that a producer describes. */
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
