import { z } from "zod";
import { pluginType } from "../plugin.ts";

export const sloDeadlineOrderingPolicy = pluginType({
  type: "slo-deadline-ordering-policy",
  kinds: ["ordering"],
  summary:
    "In a flow the request goes first whose first token is wanted first (`x-llm-d-slo-ttft-ms`); those that do not say come last.",
  parameters: z.strictObject({}),
  create: () => ({ ordering: { rank: ({ firstTokenDeadline }) => firstTokenDeadline } }),
});
