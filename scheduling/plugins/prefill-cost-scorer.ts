import { z } from "zod";
import type { Cycle } from "../cycle.ts";
import type { Endpoint } from "../endpoint.ts";
import { pluginType } from "../plugin.ts";
import { prefixMatchInfoProducerName } from "./producer-names.ts";

/** What a token costs at least that others have cached: with less, requests would leave their caches for nothing. */
const leastPrice = 1 / 8;

/** Prompt tokens at an endpoint, on average, with which copies cost twice as much: there is other work to do first. */
const busyTokens = 512;

/** Endpoints whose costs differ by fewer tokens than these are equal, and the picker draws among them. */
const grain = 64;

/**
 * Scores by what a request costs on each endpoint, in prompt tokens: its own that are not cached there, those of requests
 * that were sent before it, and some for every request that is there. A cached prefix draws requests as long as waiting
 * for it is cheaper than computing it anew; what many prompts begin with is worth a copy where there is little to do
 * (docs/decisions/0014-routing-strategies.md).
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
    requestsPerCopy: z
      .number()
      .min(0)
      .default(40)
      .describe(
        "Requests of an endpoint that share the cost of tokens which others have cached: those of them that begin alike. 0: none does.",
      ),
    tokensPerRequest: z
      .number()
      .min(0)
      .default(64)
      .describe("What a request on the endpoint costs besides its prompt, in tokens."),
    prefixMatchInfoProducerName,
  }),
  prefixCache: ({ prefixMatchInfoProducerName: producer }) => ({ producer }),
  create: ({ recomputeFactor, requestsPerCopy, tokensPerRequest }, context) => {
    const { replicas } = context;
    const cache = context.prefixCache();
    return {
      scorer: {
        score(cycle, endpoints) {
          const match = cycle.prefix(cache);
          const told = requestsTold(cycle, endpoints);
          const prices = match.copyPrices(endpoints, {
            // A copy is known to the replica that made it, and so serves its part of the requests.
            requests: requestsPerCopy / replicas.count / (1 + meanTokens(endpoints) / busyTokens),
            most: recomputeFactor,
            least: Math.min(leastPrice, recomputeFactor),
          });
          let least = Number.POSITIVE_INFINITY;
          const costs = Float64Array.from(endpoints, (endpoint, at) => {
            const { runningTokens, othersTokens, runningRequests, isDown, slowness } =
              endpoint.live;
            if (isDown) return Number.POSITIVE_INFINITY;
            const requests = Math.max(runningRequests, told[at] as number);
            const own = slowness * (prices[at] as number) * match.uncachedTokens(endpoint);
            const others = slowness * (runningTokens + othersTokens + tokensPerRequest * requests);
            // However little a copy costs, the endpoint that has one is better.
            const cost = 1 + Math.ceil(own / grain) + Math.floor(others / grain);
            if (cost < least) least = cost;
            return cost;
          });
          return costs.map((cost) => (cost === Number.POSITIVE_INFINITY ? 0 : least / cost));
        },
      },
    };
  },
});

/** Prompt tokens that an endpoint has to compute, on average. */
function meanTokens(endpoints: readonly Endpoint[]): number {
  let tokens = 0;
  for (const { live } of endpoints) tokens += live.runningTokens + live.othersTokens;
  return tokens / Math.max(1, endpoints.length);
}

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
