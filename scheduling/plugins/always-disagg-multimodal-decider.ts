import { z } from "zod";
import { pluginType } from "../plugin.ts";

export const multimodalDecider = pluginType({
  type: "always-disagg-multimodal-decider",
  kinds: ["decider"],
  summary: "Every chat with pictures, videos or sounds has them encoded by encoders.",
  parameters: z.looseObject({}),
  create: () => ({
    decider: { disaggregate: ({ request: { payload } }) => payload.hasMedia === true },
  }),
});
