import { z } from "zod";
import { describedPlugin } from "../plugin-description.ts";

export const alwaysDisaggregate = describedPlugin({
  type: "always-disagg-pd-decider",
  kinds: ["decider"],
  summary: "Every prompt is prefilled by a prefiller.",
  parameters: z.strictObject({}),
});

export const prefixBasedDecider = describedPlugin({
  type: "prefix-based-pd-decider",
  kinds: ["decider"],
  summary: "A prompt is prefilled by a prefiller if the decoder has too little of it cached.",
  parameters: z.strictObject({
    nonCachedTokens: z.number().int().min(0).default(0).describe("0: never."),
    promptTokens: z.number().int().min(0).default(0).describe("Shorter prompts stay."),
  }),
  prefixCache: () => ({}),
});

export const multimodalDecider = describedPlugin({
  type: "always-disagg-multimodal-decider",
  kinds: ["decider"],
  summary:
    "Read for configurations with encoders, which are not chosen: servers encode themselves.",
  parameters: z.looseObject({}),
  warnings: () => ["always-disagg-multimodal-decider: never decides so, content is not looked at"],
});
