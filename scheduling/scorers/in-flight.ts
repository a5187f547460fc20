import * as scorers from "../config/plugins/scorers.ts";
import { pluginType } from "../plugin.ts";

/** Scorers of what the picker itself has sent and not seen end. */

export const activeRequestScorer = pluginType({
  ...scorers.activeRequestScorer,
  create: ({ idleThreshold, maxBusyScore }) => ({
    scorer: {
      score(_, endpoints) {
        const counts = endpoints.map(({ live }) => live.runningRequests);
        const most = Math.max(...counts);
        return counts.map((count) =>
          count <= idleThreshold ? 1 : ((most - count) / most) * maxBusyScore,
        );
      },
    },
  }),
});

export const tokenLoadScorer = pluginType({
  ...scorers.tokenLoadScorer,
  create: ({ queueThresholdTokens: threshold }) => ({
    scorer: {
      score: (cycle, endpoints) =>
        endpoints.map((endpoint) => {
          const tokens = endpoint.live.runningTokens + cycle.uncachedTokens(endpoint);
          return 1 - Math.min(tokens, threshold) / threshold;
        }),
    },
  }),
});
