import { z } from "zod";
import { pluginType } from "../../plugin.ts";

export const sloDeadlineOrderingPolicy = pluginType({
  type: "slo-deadline-ordering-policy",
  kinds: ["ordering"],
  summary:
    "Dispatches the request of a flow with the earliest deadline for its first token (`x-llm-d-slo-ttft-ms`). Requests without one are last.",
  parameters: z.strictObject({}),
  create: () => ({ ordering: { rank: ({ firstTokenDeadline }) => firstTokenDeadline } }),
});
