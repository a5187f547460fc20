import { z } from "zod";
import { pluginType } from "../../profiles/plugin.ts";

export const fcfsOrderingPolicy = pluginType({
  type: "fcfs-ordering-policy",
  kinds: ["ordering"],
  summary: "Dispatches the oldest request of a flow first.",
  parameters: z.strictObject({}),
  create: () => ({ ordering: { rank: ({ sequence }) => sequence } }),
});
