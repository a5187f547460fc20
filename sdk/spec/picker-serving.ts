import { z } from "zod";
import { named } from "./argument.ts";
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

/** The receiver of spans. */
export const Tracing = named(
  "Tracing",
  z.strictObject({
    endpoint: z
      .string()
      .regex(/^https?:\/\/[^/]+/, { error: "a URL such as http://collector:4317" })
      .describe("URL of an OTLP receiver that takes gRPC, such as an OpenTelemetry collector."),
    sampleRatio: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe(
        "Share of the requests that are recorded, from 0 to 1, of those that come without a trace; others are recorded where their trace is. Default 0.1.",
      ),
  }),
).describe("The receiver of spans, and the share of the requests that are recorded.");
export type Tracing = z.infer<typeof Tracing>;

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
  tracing: Tracing.optional().describe(
    "The receiver of spans, and the share of the requests that are recorded. Default: no spans are made.",
  ),
};

export interface PickerServing {
  readonly drainSeconds?: number | undefined;
  readonly followResponses?: boolean | undefined;
  readonly objectiveWindowSeconds?: number | undefined;
  readonly tracing?: Tracing | undefined;
}

/** These fields among those of what deploys a picker. */
export const pickerServingOf = ({
  drainSeconds,
  followResponses,
  objectiveWindowSeconds,
  tracing,
}: PickerServing): PickerServing => ({
  drainSeconds,
  followResponses,
  objectiveWindowSeconds,
  tracing,
});
