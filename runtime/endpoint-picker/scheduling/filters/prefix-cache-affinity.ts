import { z } from "zod";
import type { Endpoint } from "../../datastore/endpoint.ts";
import { pluginType } from "../plugin.ts";

export const prefixCacheAffinityFilter = pluginType({
  type: "prefix-cache-affinity-filter",
  summary:
    "Pods that have most of the prompt cached, unless their load costs more than the cache saves.",
  parameters: z.strictObject({
    affinityThreshold: z.number().min(0).max(1).default(0.8),
    explorationProbability: z.number().min(0).max(1).default(0),
    maxTTFTPenaltyMs: z.number().min(0).default(18_000),
    ttftSource: z.literal("prefillThroughput").default("prefillThroughput"),
    peakPrefillThroughput: z.number().positive().default(15_928),
    prefixMatchInfoProducerName: z.string().optional(),
    inFlightLoadProducerName: z.string().optional(),
  }),
  create(parameters, context) {
    const cache = context.prefixCache(parameters.prefixMatchInfoProducerName);
    const waitMs = ({ live }: Endpoint) =>
      (1000 * live.runningTokens) / parameters.peakPrefillThroughput;
    const leastWait = (endpoints: readonly Endpoint[]) => Math.min(...endpoints.map(waitMs));
    return {
      filter: {
        filter(cycle, endpoints) {
          const match = cycle.prefix(cache);
          if (match.totalBlocks === 0) return endpoints;
          if (cycle.chance.random() < parameters.explorationProbability) return endpoints;
          const needed = parameters.affinityThreshold * match.totalBlocks;
          const sticky = endpoints.filter((endpoint) => match.matchedBlocks(endpoint) >= needed);
          if (sticky.length === 0 || sticky.length === endpoints.length) return endpoints;
          const others = endpoints.filter((endpoint) => !sticky.includes(endpoint));
          const penalty = leastWait(sticky) - leastWait(others);
          const { maxTTFTPenaltyMs } = parameters;
          return maxTTFTPenaltyMs > 0 && penalty > maxTTFTPenaltyMs ? endpoints : sticky;
        },
      },
    };
  },
});
