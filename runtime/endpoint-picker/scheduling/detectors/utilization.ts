import { z } from "zod";
import { parseDuration } from "../../../process/flags/duration.ts";
import type { Endpoint } from "../../datastore/endpoint.ts";
import { pluginType } from "../plugin.ts";

const duration = z.string().transform((text, context) => {
  const milliseconds = parseDuration(text);
  if (milliseconds !== undefined) return milliseconds;
  context.addIssue({
    code: "custom",
    message: `"${text}" is no duration: write for example 200ms`,
  });
  return z.NEVER;
});

export const utilizationDetector = pluginType({
  type: "utilization-detector",
  summary:
    "Full where queues or KV caches are, on average; an endpoint whose metrics are old counts as full.",
  parameters: z.strictObject({
    queueDepthThreshold: z.number().int().positive().default(5),
    kvCacheUtilThreshold: z.number().positive().max(1).default(0.8),
    metricsStalenessThreshold: duration.default(200),
    headroom: z.number().min(0).default(0),
  }),
  create({ queueDepthThreshold, kvCacheUtilThreshold, metricsStalenessThreshold, headroom }) {
    const utilization = ({ live: { metrics } }: Endpoint, now: number) =>
      metrics === undefined || now - metrics.at > metricsStalenessThreshold
        ? 1
        : Math.max(
            metrics.waitingRequests / queueDepthThreshold,
            metrics.kvCacheUsage / kvCacheUtilThreshold,
          );
    return {
      detector: {
        saturation: (endpoints, now) =>
          endpoints.length === 0
            ? 1
            : endpoints.reduce((sum, endpoint) => sum + utilization(endpoint, now), 0) /
              endpoints.length,
      },
      // As a filter it leaves out endpoints beyond the headroom, unless that leaves none.
      filter: {
        filter({ chance }, endpoints) {
          const left = endpoints.filter((each) => utilization(each, chance.now) < 1 + headroom);
          return left.length > 0 ? left : endpoints;
        },
      },
    };
  },
});
