import { z } from "zod";
import { pluginType } from "../plugin.ts";

export const fcfsOrderingPolicy = pluginType({
  type: "fcfs-ordering-policy",
  kinds: ["ordering"],
  summary: "Orders a flow's requests by arrival.",
  parameters: z.strictObject({}),
  create: () => ({ ordering: { rank: ({ sequence }) => sequence } }),
});
