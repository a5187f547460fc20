import { z } from "zod";
import { pluginType } from "../plugin.ts";

export const multimodalDecider = pluginType({
  type: "always-disagg-multimodal-decider",
  kinds: ["decider"],
  summary:
    "Read for configurations with encoders, which are not chosen: servers encode themselves.",
  parameters: z.looseObject({}),
  warnings: () => ["always-disagg-multimodal-decider: never decides so, content is not looked at"],
  create: () => ({ decider: { disaggregate: () => false } }),
});
