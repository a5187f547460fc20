import type { Endpoint } from "../../endpoints/endpoint.ts";
import type { Cycle } from "../../profiles/cycle.ts";
import { pluginType } from "../../profiles/plugin.ts";

export const loraAffinityScorer = pluginType({
  type: "lora-affinity-scorer",
  kinds: ["scorer"],
  summary:
    "1 if the adapter is loaded, 0.8 if another adapter fits, 0.6 if requests wait for the adapter, otherwise 0.",
  create: () => ({
    scorer: {
      score: (cycle, endpoints) =>
        endpoints.map((endpoint) => adapterScore(cycle, endpoint, cycle.request.targetModel)),
    },
  }),
});

function adapterScore(cycle: Cycle, endpoint: Endpoint, model: string): number {
  const metrics = cycle.metrics(endpoint);
  if (metrics === undefined) return 0;
  const { activeModels, waitingModels, maxActiveModels } = metrics;
  if (activeModels.has(model)) return 1;
  if (activeModels.size + waitingModels.size < maxActiveModels) return 0.8;
  return waitingModels.has(model) ? 0.6 : 0;
}
