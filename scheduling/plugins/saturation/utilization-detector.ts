import { z } from "zod";
import { parseDuration } from "../../../kubernetes/values/duration.ts";
import type { Endpoint } from "../../endpoints/endpoint.ts";
import type { SaturationDetector } from "../../endpoints/saturation.ts";
import { constants } from "../../load-constants.ts";
import { pluginType } from "../../profiles/plugin.ts";
import { endpointLoad } from "../../server-model/endpoint-load.ts";
import { amount, positiveCount } from "../parameter-types.ts";

const { nearlyAll, paceRequests } = constants;

export const duration = z.string().transform((text, context) => {
  const milliseconds = parseDuration(text);
  if (milliseconds !== undefined && milliseconds > 0) return milliseconds;
  context.addIssue({
    code: "custom",
    message: `"${text}" is not a duration above 0: write for example 200ms`,
  });
  return z.NEVER;
});

/** Thresholds at which an endpoint is full, with llm-d-router's defaults. */
export const fullFrom = {
  queueDepthThreshold: positiveCount.default(5),
  kvCacheUtilThreshold: z.number().positive().max(1).default(0.8),
};

/**
 * Returns how full a server is by its time between tokens: its requests, divided by the number of requests with which
 * it would keep the objective if each took an equal part of a step. A part of each step does not depend on requests, so
 * the first estimates of that number are too low. They approach the right number as requests arrive.
 */
function saturationByPace({ live }: Endpoint, objectiveMs: number): number {
  const { metrics, msBetweenTokens } = live;
  if (metrics === undefined || msBetweenTokens === 0) return 0;
  const most = (metrics.runningRequests * nearlyAll * objectiveMs) / msBetweenTokens;
  return endpointLoad(live) / Math.max(paceRequests, most);
}

interface Thresholds {
  readonly queueDepthThreshold: number;
  readonly kvCacheUtilThreshold: number;
  readonly metricsStalenessThreshold: number;
  readonly msBetweenTokensThreshold?: number | undefined;
}

/** Measures how full each endpoint is by its metrics. An endpoint with stale metrics counts as full. */
export function utilizationBy({
  queueDepthThreshold,
  kvCacheUtilThreshold,
  metricsStalenessThreshold,
  msBetweenTokensThreshold = Number.POSITIVE_INFINITY,
}: Thresholds) {
  const isStale = ({ live: { metrics } }: Endpoint, now: number) =>
    metrics === undefined || now - metrics.at > metricsStalenessThreshold;
  return {
    isStale,
    saturation: (endpoint: Endpoint, now: number) => {
      const { metrics } = endpoint.live;
      if (metrics === undefined || isStale(endpoint, now)) return 1;
      return Math.max(
        metrics.waitingRequests / queueDepthThreshold,
        metrics.kvCacheUsage / kvCacheUtilThreshold,
        saturationByPace(endpoint, msBetweenTokensThreshold),
      );
    },
    lag: metricsStalenessThreshold + 50,
  } satisfies SaturationDetector;
}

export const utilizationDetector = pluginType({
  type: "utilization-detector",
  kinds: ["filter", "detector"],
  summary:
    "Full when queues or KV caches reach their thresholds, on average over the endpoints. An endpoint with stale metrics counts as full.",
  parameters: z.strictObject({
    ...fullFrom,
    metricsStalenessThreshold: duration.prefault("200ms"),
    msBetweenTokensThreshold: z
      .number()
      .positive()
      .optional()
      .describe(
        "Time between two tokens of a response, in ms, at which a server is full. Default: no limit.",
      ),
    maxConcurrency: positiveCount
      .optional()
      .describe(
        "Requests that a server runs concurrently: the number of slots that flow control assumes at first. Default: 8, and flow control learns the further slots.",
      ),
    headroom: amount
      .default(0)
      .describe("As a filter: share by which an endpoint may exceed the thresholds."),
  }),
  create({ headroom, maxConcurrency, ...thresholds }) {
    const detector = {
      ...utilizationBy(thresholds),
      ...(maxConcurrency !== undefined && { slots: maxConcurrency }),
    };
    return {
      detector,
      // As a filter it excludes endpoints beyond the headroom and endpoints with stale metrics, unless it would exclude
      // all.
      filter: {
        filter({ chance: { now } }, endpoints) {
          const left = endpoints.filter(
            (each) => !detector.isStale(each, now) && detector.saturation(each, now) < 1 + headroom,
          );
          return left.length > 0 ? left : endpoints;
        },
      },
    };
  },
});
