import { pluginType } from "../../profiles/plugin.ts";

export const kvCacheUtilizationScorer = pluginType({
  type: "kv-cache-utilization-scorer",
  kinds: ["scorer"],
  summary: "1 - the share of the KV cache in use.",
  create: () => ({
    scorer: {
      score: (cycle, endpoints) =>
        endpoints.map((endpoint) => 1 - (cycle.metrics(endpoint)?.kvCacheUsage ?? 1)),
    },
  }),
});
