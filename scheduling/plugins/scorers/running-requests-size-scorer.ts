import { pluginType } from "../../profiles/plugin.ts";
import { leastIsBest } from "./least-is-best.ts";

export const runningRequestsSizeScorer = pluginType({
  type: "running-requests-size-scorer",
  kinds: ["scorer"],
  summary: "1 for the fewest running requests among the candidates, 0 for the most.",
  create: () => ({
    scorer: {
      score: (cycle, endpoints) => leastIsBest(cycle, endpoints, (m) => m.runningRequests),
    },
  }),
});
