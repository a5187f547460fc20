import { z } from "zod";
import { pluginType } from "../plugin.ts";
import { leastIsBest } from "./least-is-best.ts";

export const runningRequestsSizeScorer = pluginType({
  type: "running-requests-size-scorer",
  kinds: ["scorer"],
  summary:
    "Scores endpoints by their running requests, relative to the candidates. Fewer requests score higher.",
  parameters: z.strictObject({}),
  create: () => ({
    scorer: {
      score: (cycle, endpoints) => leastIsBest(cycle, endpoints, (m) => m.runningRequests),
    },
  }),
});
