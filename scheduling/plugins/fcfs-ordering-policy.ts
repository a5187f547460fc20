import { z } from "zod";
import { pluginType } from "../plugin.ts";

export const fcfsOrderingPolicy = pluginType({
  type: "fcfs-ordering-policy",
  kinds: ["ordering"],
  summary: "In a flow the request goes first that came first.",
  parameters: z.strictObject({}),
  create: () => ({ ordering: { rank: ({ sequence }) => sequence } }),
});
