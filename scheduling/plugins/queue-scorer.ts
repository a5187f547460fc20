import { z } from "zod";
import { pluginType } from "../plugin.ts";
import { leastIsBest } from "./least-is-best.ts";

export const queueScorer = pluginType({
  type: "queue-scorer",
  kinds: ["scorer"],
  summary: "The shorter the queue of waiting requests among the candidates, the better.",
  parameters: z.strictObject({}),
  create: () => ({
    scorer: {
      score: (cycle, endpoints) => leastIsBest(cycle, endpoints, (m) => m.waitingRequests),
    },
  }),
});
