import { z } from "zod";
import { pluginType } from "../plugin.ts";

export const edfOrderingPolicy = pluginType({
  type: "edf-ordering-policy",
  kinds: ["ordering"],
  summary:
    "In a flow the request goes first that would expire first: by its own time to live, or by the configured one.",
  parameters: z.strictObject({}),
  create: () => ({ ordering: { rank: ({ deadline }) => deadline } }),
});
