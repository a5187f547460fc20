import { z } from "zod";
import { pluginType } from "../plugin.ts";

export const sloDeadlineOrderingPolicy = pluginType({
  type: "slo-deadline-ordering-policy",
  kinds: ["ordering"],
  summary:
    "Orders a flow's requests by the deadline of their first token (`x-llm-d-slo-ttft-ms`). Requests without a deadline are last.",
  parameters: z.strictObject({}),
  create: () => ({ ordering: { rank: ({ firstTokenDeadline }) => firstTokenDeadline } }),
});
