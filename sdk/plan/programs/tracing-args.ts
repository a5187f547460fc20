import type { Tracing } from "../../spec/picker-serving.ts";

/** How a program that sends spans is told where to; it sends none without these flags. */
export const tracingArgs = (tracing: Tracing | undefined): string[] => [
  ...(tracing === undefined ? [] : [`--otlp-endpoint=${tracing.endpoint}`]),
  ...(tracing?.sampleRatio === undefined ? [] : [`--otlp-sample-ratio=${tracing.sampleRatio}`]),
];
