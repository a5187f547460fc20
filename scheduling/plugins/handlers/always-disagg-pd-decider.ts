import { pluginType } from "../../profiles/plugin.ts";

export const alwaysDisaggregate = pluginType({
  type: "always-disagg-pd-decider",
  kinds: ["decider"],
  summary: "A prefiller computes every prompt.",
  create: () => ({ decider: { disaggregate: () => true } }),
});
