import { z } from "zod";
import { pluginType } from "../../profiles/plugin.ts";

export const multimodalDecider = pluginType({
  type: "always-disagg-multimodal-decider",
  kinds: ["decider"],
  summary: "Encoders encode the images, videos and sounds of every chat.",
  parameters: z.looseObject({}),
  create: () => ({
    decider: { disaggregate: ({ request: { payload } }) => payload.hasMedia === true },
  }),
});
