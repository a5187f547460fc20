import { z } from "zod";
import { describedPlugin } from "../plugin-description.ts";

const picker = (type: string, summary: string) =>
  describedPlugin({
    type,
    kinds: ["picker"],
    summary,
    parameters: z.strictObject({
      maxNumOfEndpoints: z
        .number()
        .int()
        .min(1)
        .default(1)
        .describe("More than one: for proxies that try the next."),
    }),
  });

export const maxScorePicker = picker("max-score-picker", "The best score; equal ones by chance.");

export const randomPicker = picker("random-picker", "Any, by chance.");

export const weightedRandomPicker = picker(
  "weighted-random-picker",
  "By chance, each in proportion to its score; all alike where none has one.",
);
