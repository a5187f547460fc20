import * as filters from "../config/plugins/filters.ts";
import type { Endpoint } from "../endpoint.ts";
import { pluginType } from "../plugin.ts";

export const prefixCacheAffinityFilter = pluginType({
  ...filters.prefixCacheAffinityFilter,
  create(parameters, context) {
    const cache = context.prefixCache();
    const waitMs = ({ live }: Endpoint) =>
      (1000 * live.runningTokens) / parameters.peakPrefillThroughput;
    const leastWait = (endpoints: readonly Endpoint[]) => Math.min(...endpoints.map(waitMs));
    return {
      filter: {
        filter(cycle, endpoints) {
          const match = cycle.prefix(cache);
          if (match.totalBlocks === 0) return endpoints;
          if (cycle.chance.random() < parameters.explorationProbability) return endpoints;
          const { affinityThreshold } = parameters;
          const sticky = endpoints.filter(
            (endpoint) => match.matchedBlocks(endpoint) / match.totalBlocks >= affinityThreshold,
          );
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
