import { z } from "zod";
import { pluginType } from "../../profiles/plugin.ts";
import { oldestShare } from "./oldest-share.ts";

export const sloDeadlineOrderingPolicy = pluginType({
  type: "slo-deadline-ordering-policy",
  kinds: ["ordering"],
  summary:
    "Dispatches the request of a flow with the earliest deadline for its first token (`x-llm-d-slo-ttft-ms`), in turn with the oldest request. Requests without a deadline are last.",
  parameters: z.strictObject({ oldestShare }),
  create: (parameters) => ({
    ordering: { rank: ({ firstTokenDeadline }) => firstTokenDeadline, ...parameters },
  }),
});
