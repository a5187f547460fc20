import { z } from "zod";
import { positiveCount } from "../../kubernetes/kinds/field-types.ts";
import { named } from "../schemas/argument.ts";
import { pickerDrain } from "./picker-drain.ts";

/** Fields that set the longest termination of a picker's pod, the same for all pickers. */
export const pickerEndFields = {
  drainSeconds: positiveCount
    .max(86_400)
    .optional()
    .describe(
      `Time in seconds that running responses may take when a pod of the picker terminates, after ${pickerDrain.window} s in which it still accepts requests. Default ${pickerDrain.answers}.`,
    ),
};

/** Receiver of trace spans. */
export const Tracing = named(
  "Tracing",
  z.strictObject({
    endpoint: z
      .string()
      .regex(/^https?:\/\/[^/]+/, { error: "a URL such as http://collector:4317" })
      .describe("URL of an OTLP receiver for gRPC, such as an OpenTelemetry collector."),
    sampleRatio: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe(
        "Share of the requests without a trace that are sampled, from 0 to 1. Requests with a trace follow its sampling decision. Default 0.1.",
      ),
  }),
).describe("Receiver of trace spans, and the share of requests that are sampled.");
export type Tracing = z.infer<typeof Tracing>;

/** Fields that set how a picker handles responses. */
export const pickerServingFields = {
  ...pickerEndFields,
  followResponses: z
    .boolean()
    .optional()
    .describe(
      "Whether the picker processes each response to its end, for metrics of responses. Responses then break if the picker fails. Default false, or true for a router with `access`, whose tenants are billed by these metrics.",
    ),
  objectiveWindowSeconds: positiveCount
    .max(86_400)
    .optional()
    .describe(
      "Window in seconds over which the latencies of LLMServices are compared with their objectives. Default 300.",
    ),
  tracing: Tracing.optional().describe(
    "Receiver of trace spans, and the share of requests that are sampled. Default: no tracing.",
  ),
};

export interface PickerServing {
  readonly drainSeconds?: number | undefined;
  readonly followResponses?: boolean | undefined;
  readonly objectiveWindowSeconds?: number | undefined;
  readonly tracing?: Tracing | undefined;
}

/** Returns the serving fields from the arguments of a picker. */
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
