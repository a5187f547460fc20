import { pluginType } from "../../profiles/plugin.ts";

export const fcfsOrderingPolicy = pluginType({
  type: "fcfs-ordering-policy",
  kinds: ["ordering"],
  summary: "Dispatches the oldest request of a flow first.",
  create: () => ({ ordering: { rank: ({ sequence }) => sequence } }),
});
