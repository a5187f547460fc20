import { z } from "zod";
import { parseDuration } from "../../kubernetes/values/duration.ts";
import type { Endpoint } from "../endpoint.ts";
import { pluginType } from "../plugin.ts";

const duration = z.string().transform((text, context) => {
  const milliseconds = parseDuration(text);
  if (milliseconds !== undefined && milliseconds > 0) return milliseconds;
  context.addIssue({
    code: "custom",
    message: `"${text}" is not a duration above 0: write for example 200ms`,
  });
  return z.NEVER;
});

export const utilizationDetector = pluginType({
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
  create({ queueDepthThreshold, kvCacheUtilThreshold, metricsStalenessThreshold, headroom }) {
    const isOld = ({ live: { metrics } }: Endpoint, now: number) =>
      metrics === undefined || now - metrics.at > metricsStalenessThreshold;
    const utilization = (endpoint: Endpoint, now: number) => {
      const { metrics } = endpoint.live;
      if (metrics === undefined || isOld(endpoint, now)) return 1;
      return Math.max(
        metrics.waitingRequests / queueDepthThreshold,
        metrics.kvCacheUsage / kvCacheUtilThreshold,
      );
    };
    return {
      detector: { saturation: utilization, isStale: isOld, lag: metricsStalenessThreshold + 50 },
      // As a filter it leaves out endpoints beyond the headroom, and those of which nothing new is known, unless that
      // leaves none.
      filter: {
        filter({ chance: { now } }, endpoints) {
          const left = endpoints.filter(
            (each) => !isOld(each, now) && utilization(each, now) < 1 + headroom,
          );
          return left.length > 0 ? left : endpoints;
        },
      },
    };
  },
});
