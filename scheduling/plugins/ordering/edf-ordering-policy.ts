import { z } from "zod";
import { pluginType } from "../../plugin.ts";

export const edfOrderingPolicy = pluginType({
  type: "edf-ordering-policy",
  kinds: ["ordering"],
  summary:
    "Dispatches the request of a flow that expires first, by its own or the configured time to live.",
  parameters: z.strictObject({}),
  create: () => ({ ordering: { rank: ({ deadline }) => deadline } }),
});
