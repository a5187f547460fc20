import { z } from "zod";
import type { Cycle } from "../cycle.ts";
import type { Endpoint } from "../endpoint.ts";
import { pluginType } from "../plugin.ts";
import { prefixMatchInfoProducerName } from "./producer-names.ts";

/** Endpoints whose costs differ by fewer tokens than these are equal, and the picker draws among them. */
const grain = 64;

/**
 * Scores by what a request costs on each endpoint, in prompt tokens: its own that are not cached there, those of requests
 * that were sent before it, and some for every request that is there. A cached prefix draws requests as long as waiting
 * for it is cheaper than computing it anew (docs/decisions/0014-routing-strategies.md).
 */
export const prefillCostScorer = pluginType({
  type: "prefill-cost-scorer",
  kinds: ["scorer"],
  summary:
    "1 where the request costs the fewest prompt tokens: its uncached ones, and those in front of it; else the least cost / cost. 0 where nobody listens.",
  parameters: z.strictObject({
    recomputeFactor: z
      .number()
      .min(0)
      .default(2)
      .describe(
        "What a token costs that is not cached: computing it takes time, and its room in the cache.",
      ),
    tokensPerRequest: z
      .number()
      .min(0)
      .default(64)
      .describe("What a request on the endpoint costs besides its prompt, in tokens."),
    prefixMatchInfoProducerName,
  }),
  prefixCache: ({ prefixMatchInfoProducerName: producer }) => ({ producer }),
  create: ({ recomputeFactor, tokensPerRequest }, context) => {
    const cache = context.prefixCache();
    return {
      scorer: {
        score(cycle, endpoints) {
          const match = cycle.prefix(cache);
          const told = requestsTold(cycle, endpoints);
          let least = Number.POSITIVE_INFINITY;
          const costs = Float64Array.from(endpoints, (endpoint, at) => {
            const { runningTokens, runningRequests, isDown } = endpoint.live;
            if (isDown) return Number.POSITIVE_INFINITY;
            const requests = Math.max(runningRequests, told[at] as number);
            const tokens =
              recomputeFactor * match.uncachedTokens(endpoint) +
              runningTokens +
              tokensPerRequest * requests;
            const cost = 1 + Math.floor(tokens / grain);
            if (cost < least) least = cost;
            return cost;
          });
          return costs.map((cost) => (cost === Number.POSITIVE_INFINITY ? 0 : least / cost));
        },
      },
    };
  },
});

/** How many requests each server says it has. A server that does not say, or said it too long ago, counts as the mean. */
function requestsTold(cycle: Cycle, endpoints: readonly Endpoint[]): Float64Array {
  let sum = 0;
  let known = 0;
  const told = Float64Array.from(endpoints, (endpoint) => {
    const metrics = cycle.metrics(endpoint);
    if (metrics?.tellsRequests !== true) return Number.NaN;
    const requests = metrics.runningRequests + metrics.waitingRequests;
    sum += requests;
    known += 1;
    return requests;
  });
  const mean = known === 0 ? 0 : sum / known;
  return told.map((requests) => (Number.isNaN(requests) ? mean : requests));
}
