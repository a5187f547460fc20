import { z } from "zod";
import { pluginType } from "../plugin.ts";

export const multimodalDecider = pluginType({
  type: "always-disagg-multimodal-decider",
  kinds: ["decider"],
  summary: "Sends every chat with images, videos or audio to encoders first.",
  parameters: z.looseObject({}),
  create: () => ({
    decider: { disaggregate: ({ request: { payload } }) => payload.hasMedia === true },
  }),
});
