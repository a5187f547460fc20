import { z } from "zod";
import { pluginType } from "../../profiles/plugin.ts";
import { oldestShare } from "./oldest-share.ts";

export const edfOrderingPolicy = pluginType({
  type: "edf-ordering-policy",
  kinds: ["ordering"],
  summary:
    "Dispatches the request of a flow that expires first, by its own or the configured time to live, in turn with the oldest request.",
  parameters: z.strictObject({ oldestShare }),
  create: (parameters) => ({ ordering: { rank: ({ deadline }) => deadline, ...parameters } }),
});
