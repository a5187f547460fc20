import { z } from "zod";
import type { Endpoint } from "../../datastore/endpoint.ts";
import { pluginType } from "../plugin.ts";

export const noHitLruScorer = pluginType({
  type: "no-hit-lru-scorer",
  summary:
    "Spreads requests that no server has cached: best is who got such a request longest ago, or never.",
  parameters: z.strictObject({
    prefixPluginType: z.string().optional(),
    prefixPluginName: z.string().optional(),
    lruSize: z.number().int().min(0).default(1024),
    prefixMatchInfoProducerName: z.string().optional(),
  }),
  create({ lruSize, prefixMatchInfoProducerName }, context) {
    const cache = context.prefixCache(prefixMatchInfoProducerName);
    /** Endpoints that got a cold request, the longest ago first. */
    const used = new Set<string>();
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
          if (endpoints.some((endpoint) => match.matchedBlocks(endpoint) > 0))
            return new Float64Array(endpoints.length).fill(0.5);
          return coldScores(endpoints, [...used]);
        },
      },
      launchHook: {
        launched(cycle, primary, prefillers) {
          const match = cycle.prefix(cache);
          if (cycle.candidates.some((endpoint) => match.matchedBlocks(endpoint) > 0)) return;
          use(primary);
          for (const prefiller of prefillers) use(prefiller);
        },
      },
    };
  },
});

/** From 1 for the first in line down to 0 for the last: those that were never used, then the others by age. */
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
