import type { Tracing } from "../../spec/picker-serving.ts";

/** Returns the flags that set where a program sends its spans. Without them it sends none. */
export const tracingArgs = (tracing: Tracing | undefined): string[] => [
  ...(tracing === undefined ? [] : [`--otlp-endpoint=${tracing.endpoint}`]),
  ...(tracing?.sampleRatio === undefined ? [] : [`--otlp-sample-ratio=${tracing.sampleRatio}`]),
];
