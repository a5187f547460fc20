import { z } from "zod";
import type { Endpoint } from "../../endpoints/endpoint.ts";
import type { Cycle } from "../../profiles/cycle.ts";
import { pluginType } from "../../profiles/plugin.ts";
import { count } from "../parameter-types.ts";
import { prefixMatchInfoProducerName } from "../producers/producer-names.ts";

export const noHitLruScorer = pluginType({
  type: "no-hit-lru-scorer",
  kinds: ["scorer"],
  summary:
    "Spreads requests that no server has cached: prefers the server that has been without such a request for the longest time.",
  parameters: z.strictObject({
    prefixPluginType: z.string().optional().describe("Not used."),
    prefixPluginName: z.string().optional().describe("Not used."),
    lruSize: count.default(1024).describe("Number of endpoints to remember. 0 means 1024."),
    prefixMatchInfoProducerName,
  }),
  prefixCache: ({ prefixMatchInfoProducerName: producer }) => ({ producer }),
  create({ lruSize }, context) {
    const cache = context.prefixCache();
    /** Endpoints that received a cold request, least recent first. */
    const used = new Set<string>();
    /** Cycles in which no scored endpoint had a hit. */
    const cold = new WeakSet<Cycle>();
    const use = ({ id }: Endpoint) => {
      used.delete(id);
      used.add(id);
      const [oldest] = used;
      if (used.size > (lruSize || 1024) && oldest !== undefined) used.delete(oldest);
    };
    return {
      scorer: {
        score(cycle, endpoints) {
          const match = cycle.prefix(cache);
          if (match.matchedIn(endpoints).some((blocks) => blocks > 0)) {
            cold.delete(cycle);
            return new Float64Array(endpoints.length).fill(0.5);
          }
          cold.add(cycle);
          return coldScores(endpoints, [...used]);
        },
      },
      preRequestHook: {
        preRequest(cycle, primary, prefillers) {
          if (!cold.has(cycle)) return undefined;
          use(primary);
          for (const prefiller of prefillers) use(prefiller);
          return undefined;
        },
      },
    };
  },
});

/**
 * Returns scores from 1 for the first endpoint to 0 for the last: endpoints that were never used are first, then the
 * least recently used. The ranks count only the scored endpoints. Upstream counts all endpoints ever used, so that
 * every score may be 0.
 */
function coldScores(endpoints: readonly Endpoint[], used: readonly string[]): number[] {
  if (endpoints.length === 1) return [1];
  const age = new Map(used.map((id, at) => [id, at]));
  const line = endpoints
    .map(({ id }, at) => ({ at, age: age.get(id) ?? -1 }))
    .sort((a, b) => a.age - b.age || a.at - b.at);
  const scores = endpoints.map(() => 0);
  line.forEach(({ at }, rank) => {
    scores[at] = 1 - rank / (endpoints.length - 1);
  });
  return scores;
}
