import { z } from "zod";
import { pluginType } from "../plugin.ts";

export const alwaysDisaggregate = pluginType({
  type: "always-disagg-pd-decider",
  kinds: ["decider"],
  summary: "Every prompt is prefilled by a prefiller.",
  parameters: z.strictObject({}),
  create: () => ({ decider: { disaggregate: () => true } }),
});
