import { z } from "zod";
import type { Endpoint } from "../../endpoints/endpoint.ts";
import { constants } from "../../load-constants.ts";
import type { PrefixMatch } from "../../prefix-cache/prefix-match.ts";
import { pluginType } from "../../profiles/plugin.ts";
import { queuesAt } from "../../server-model/cost.ts";
import { costOf, grainsOf, partNames, record } from "../../server-model/request-cost.ts";
import { amount } from "../parameter-types.ts";
import { prefixMatchInfoProducerName } from "../producers/producer-names.ts";

const { assumedMsPerToken, leastCopyCost, oneStepPrompt, rateLearningMs, stepTokens } = constants;

/**
 * Scores endpoints by the cost of a request there, in prompt tokens: the request's uncached tokens, the tokens of
 * earlier requests, and an overhead for every request on the endpoint. A cached prefix attracts requests while waiting
 * for it is cheaper than recomputing it. A prefix that many prompts share is worth a copy on an endpoint with little
 * work (docs/decisions/0014-routing-strategies.md).
 */
export const prefillCostScorer = pluginType({
  type: "prefill-cost-scorer",
  kinds: ["scorer"],
  summary:
    "The lowest cost of all endpoints / the endpoint's cost; 0 if the endpoint is down. The cost is the number of uncached prompt tokens of the request plus the prompt tokens queued ahead of it.",
  parameters: z.strictObject({
    recomputeFactor: amount
      .default(constants.recomputeFactor)
      .describe("Cost of an uncached token, in tokens: it takes compute time and cache space."),
    copyAmortizationSeconds: amount
      .default(constants.copyAmortizationSeconds)
      .describe(
        "Time over which a second copy of a cached prefix pays off. Its cost is divided among the requests with this prefix that an endpoint gets in this many seconds, or among its in-flight requests with the prefix if there are more of them.",
      ),
    copyAmortizationRequests: amount
      .default(constants.copyAmortizationRequests)
      .describe("Largest number of requests that share this cost. 0: none."),
    requestOverheadTokens: amount
      .default(constants.requestTokens)
      .describe("Cost of each request on the endpoint besides its prompt, in tokens."),
    prefixMatchInfoProducerName,
  }),
  prefixCache: ({ prefixMatchInfoProducerName: producer }) => ({ producer }),
  create: (parameters, context) => {
    const {
      recomputeFactor,
      copyAmortizationSeconds,
      copyAmortizationRequests,
      requestOverheadTokens,
    } = parameters;
    const { arrivals, speeds } = context;
    const cache = context.prefixCache();
    /**
     * Returns the number of requests that share the cost of a copy. Only the picker that made a copy knows it, so only
     * its requests count: the requests of the next seconds, or the number that an endpoint has in flight if responses
     * take longer.
     */
    const requestsOfCopy = (endpoints: number, requests: number, now: number) => {
      if (arrivals.seenFor(now) < rateLearningMs) return copyAmortizationRequests;
      const soon = (copyAmortizationSeconds * arrivals.perSecond(now)) / endpoints;
      return Math.min(copyAmortizationRequests, Math.max(soon, requests));
    };
    const copyCosts = (match: PrefixMatch, endpoints: readonly Endpoint[], now: number) => {
      const { tokens, requests } = meanLoad(endpoints);
      return match.copyCosts(endpoints, {
        requests:
          (requestsOfCopy(endpoints.length, requests, now) * partOfUsual(speeds.msPerToken)) /
          (1 + tokens / stepTokens),
        most: recomputeFactor,
        least: Math.min(leastCopyCost, recomputeFactor),
      });
    };
    return {
      promptCosts(request, endpoints, now) {
        const match = cache.match(request, endpoints);
        const { prices, duplicationPenalties } = copyCosts(match, endpoints, now);
        return match
          .uncachedIn(endpoints)
          .map((tokens, at) => (prices[at] as number) * tokens + (duplicationPenalties?.[at] ?? 0));
      },
      scorer: {
        parts: partNames,
        score(cycle, endpoints, parts) {
          const match = cycle.prefix(cache);
          const { prices, duplicationPenalties } = copyCosts(match, endpoints, cycle.chance.now);
          const queues = queuesAt(cycle, endpoints);
          let least = Number.POSITIVE_INFINITY;
          const scores = new Float64Array(endpoints.length);
          const uncached = match.uncachedIn(endpoints);
          const { msPerToken } = speeds;
          const isShort = cycle.promptTokens <= oneStepPrompt;
          for (let at = 0; at < scores.length; at += 1) {
            const { live } = endpoints[at] as Endpoint;
            if (live.isDown) continue;
            const cost = costOf(live, {
              uncachedTokens: isShort ? 0 : (uncached[at] as number),
              price: prices[at] as number,
              duplicationPenalty: isShort ? 0 : (duplicationPenalties?.[at] ?? 0),
              requests: queues.requests[at] as number,
              requestTokens: requestOverheadTokens,
              slots: queues.slots[at] as number,
              msPerToken,
            });
            if (parts !== undefined) record(parts, at, cost);
            const grains = grainsOf(cost);
            if (grains < least) least = grains;
            scores[at] = grains;
          }
          for (let at = 0; at < scores.length; at += 1) {
            const cost = scores[at] as number;
            if (cost > 0) scores[at] = least / cost;
          }
          return scores;
        },
      },
    };
  },
});

/**
 * Returns the part of the usual requests that share a copy. An engine that takes longer to compute the copy delays more
 * requests, and gets fewer in the same time. A faster engine has no more cache space, so the part is at most 1.
 */
const partOfUsual = (msPerToken: number): number => Math.min(1, assumedMsPerToken / msPerToken);

/** Returns the mean number of prompt tokens to compute and of requests per endpoint. */
function meanLoad(endpoints: readonly Endpoint[]): { tokens: number; requests: number } {
  let [tokens, requests] = [0, 0];
  for (const { live } of endpoints) {
    tokens += live.runningTokens + live.externalTokens;
    requests += live.runningRequests;
  }
  const count = Math.max(1, endpoints.length);
  return { tokens: tokens / count, requests: requests / count };
}
