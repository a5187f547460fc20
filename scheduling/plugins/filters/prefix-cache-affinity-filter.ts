import { z } from "zod";
import type { Endpoint } from "../../endpoints/endpoint.ts";
import { pluginType } from "../../profiles/plugin.ts";
import { amount, share } from "../parameter-types.ts";
import {
  inFlightLoadProducerName,
  prefixMatchInfoProducerName,
} from "../producers/producer-names.ts";

export const prefixCacheAffinityFilter = pluginType({
  type: "prefix-cache-affinity-filter",
  kinds: ["filter"],
  summary: "Keeps pods that have most of the prompt cached, unless the wait there is too long.",
  parameters: z.strictObject({
    affinityThreshold: share
      .default(0.8)
      .describe("Share of the prompt's blocks that must be cached."),
    explorationProbability: share.default(0).describe("Probability of keeping all pods."),
    maxTTFTPenaltyMs: amount
      .default(18_000)
      .describe("Longest extra wait on the kept pods, in ms. 0: no limit."),
    ttftSource: z
      .enum(["prefillThroughput", "latencyPredictor"])
      .default("prefillThroughput")
      .describe("latencyPredictor is treated as prefillThroughput."),
    peakPrefillThroughput: z
      .number()
      .positive()
      .default(15_928)
      .describe("Tokens per second, used to estimate waits."),
    prefixMatchInfoProducerName,
    inFlightLoadProducerName,
    latencyPredictionInfoProducerName: z.string().optional().describe("Not used."),
  }),
  prefixCache: ({ prefixMatchInfoProducerName: producer }) => ({ producer }),
  warnings: ({ ttftSource }) =>
    ttftSource === "latencyPredictor"
      ? [
          "ttftSource latencyPredictor of prefix-cache-affinity-filter is read as prefillThroughput: no latency is predicted",
        ]
      : [],
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
          const matched = match.matchedIn(endpoints);
          const sticky = endpoints.filter(
            (_, at) => (matched[at] as number) / match.totalBlocks >= affinityThreshold,
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
