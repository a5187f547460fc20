import { z } from "zod";
import { parseDuration } from "../duration.ts";
import { describedPlugin } from "../plugin-description.ts";
import { inFlightLoadProducerName } from "./producer-names.ts";

const duration = z.string().transform((text, context) => {
  const milliseconds = parseDuration(text);
  if (milliseconds !== undefined && milliseconds > 0) return milliseconds;
  context.addIssue({
    code: "custom",
    message: `"${text}" is no duration above 0: write for example 200ms`,
  });
  return z.NEVER;
});

export const utilizationDetector = describedPlugin({
  type: "utilization-detector",
  kinds: ["filter", "detector"],
  summary:
    "Full where queues or KV caches are, on average; an endpoint whose metrics are old counts as full.",
  parameters: z.strictObject({
    queueDepthThreshold: z.number().int().positive().default(5),
    kvCacheUtilThreshold: z.number().positive().max(1).default(0.8),
    metricsStalenessThreshold: duration.prefault("200ms"),
    headroom: z
      .number()
      .min(0)
      .default(0)
      .describe("As a filter: the share that may be beyond the thresholds."),
  }),
});

export const concurrencyDetector = describedPlugin({
  type: "concurrency-detector",
  kinds: ["filter", "detector"],
  summary: "Full where the picker's own requests or tokens on their way reach a limit a pod.",
  parameters: z.strictObject({
    maxConcurrency: z.number().int().positive().default(100),
    headroom: z
      .number()
      .min(0)
      .default(0)
      .describe("As a filter: the share that may be beyond the limits."),
    concurrencyMode: z
      .enum(["requests", "tokens", "hybrid"])
      .default("requests")
      .describe("hybrid: the scarcer of both."),
    maxTokenConcurrency: z.number().int().positive().default(1_000_000),
    inFlightLoadProducerName,
  }),
});
