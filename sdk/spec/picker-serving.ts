import { z } from "zod";
import { pickerDrain } from "./picker-drain.ts";

/** How long a picker's pod may take to end, the same for all pickers. */
export const pickerEndFields = {
  drainSeconds: z
    .int32()
    .min(1)
    .max(86_400)
    .optional()
    .describe(
      `Seconds for which running answers may go on when a pod of the picker ends, after ${pickerDrain.window} s in which it still takes requests. Default ${pickerDrain.answers}.`,
    ),
};

/** How a picker of pods treats answers. */
export const pickerServingFields = {
  ...pickerEndFields,
  followResponses: z
    .boolean()
    .optional()
    .describe(
      "Whether the picker follows every answer to its end, for metrics of answers. Answers then break with the picker. Default false.",
    ),
  objectiveWindowSeconds: z
    .int32()
    .min(1)
    .max(86_400)
    .optional()
    .describe(
      "Seconds over which the latencies of LLMServices are compared with their objectives. Default 300.",
    ),
};

export interface PickerServing {
  readonly drainSeconds?: number | undefined;
  readonly followResponses?: boolean | undefined;
  readonly objectiveWindowSeconds?: number | undefined;
}

/** These fields among those of what deploys a picker. */
export const pickerServingOf = ({
  drainSeconds,
  followResponses,
  objectiveWindowSeconds,
}: PickerServing): PickerServing => ({
  drainSeconds,
  followResponses,
  objectiveWindowSeconds,
});
