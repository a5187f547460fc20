import { z } from "zod";
import { pluginType } from "../plugin.ts";

export const edfOrderingPolicy = pluginType({
  type: "edf-ordering-policy",
  kinds: ["ordering"],
  summary:
    "Orders a flow's requests by expiry: by their own time to live, or by the configured one.",
  parameters: z.strictObject({}),
  create: () => ({ ordering: { rank: ({ deadline }) => deadline } }),
});
