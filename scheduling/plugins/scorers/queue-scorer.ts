import { pluginType } from "../../profiles/plugin.ts";
import { leastIsBest } from "./least-is-best.ts";

export const queueScorer = pluginType({
  type: "queue-scorer",
  kinds: ["scorer"],
  summary: "1 for the shortest queue among the candidates, 0 for the longest.",
  create: () => ({
    scorer: {
      score: (cycle, endpoints) => leastIsBest(cycle, endpoints, (m) => m.waitingRequests),
    },
  }),
});
