import { z } from "zod";
import { pluginType } from "../plugin.ts";

export const alwaysDisaggregate = pluginType({
  type: "always-disagg-pd-decider",
  kinds: ["decider"],
  summary: "Sends every prompt to a prefiller.",
  parameters: z.strictObject({}),
  create: () => ({ decider: { disaggregate: () => true } }),
});
