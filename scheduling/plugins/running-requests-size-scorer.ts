import { z } from "zod";
import { pluginType } from "../plugin.ts";
import { leastIsBest } from "./least-is-best.ts";

export const runningRequestsSizeScorer = pluginType({
  type: "running-requests-size-scorer",
  kinds: ["scorer"],
  summary: "The fewer requests run among the candidates, the better.",
  parameters: z.strictObject({}),
  create: () => ({
    scorer: {
      score: (cycle, endpoints) => leastIsBest(cycle, endpoints, (m) => m.runningRequests),
    },
  }),
});
