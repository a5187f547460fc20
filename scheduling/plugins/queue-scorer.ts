import { z } from "zod";
import { pluginType } from "../plugin.ts";
import { leastIsBest } from "./least-is-best.ts";

export const queueScorer = pluginType({
  type: "queue-scorer",
  kinds: ["scorer"],
  summary:
    "Scores endpoints by the length of their queue, relative to the candidates. A shorter queue scores higher.",
  parameters: z.strictObject({}),
  create: () => ({
    scorer: {
      score: (cycle, endpoints) => leastIsBest(cycle, endpoints, (m) => m.waitingRequests),
    },
  }),
});
