import { z } from "zod";
import { pluginType } from "../../plugin.ts";
import { duration, fullFrom, utilizationBy } from "./utilization-detector.ts";

/** The detector where a configuration names none: one hot pod, or metrics that are slow, shed no requests. */
export const freeEndpointDetector = pluginType({
  type: "free-endpoint-detector",
  kinds: ["detector"],
  summary:
    "The pool is as full as its emptiest endpoint with fresh metrics. An endpoint with stale or missing metrics is ignored; if all are, the pool is not full.",
  parameters: z.strictObject({
    ...fullFrom,
    // As long as scorers believe a reading.
    metricsStalenessThreshold: duration.prefault("2s"),
  }),
  create(thresholds) {
    const detector = utilizationBy(thresholds);
    return {
      detector: {
        ...detector,
        ofPool(endpoints, now) {
          const known = endpoints.filter((endpoint) => !detector.isStale(endpoint, now));
          return known.length === 0
            ? 0
            : Math.min(...known.map((endpoint) => detector.saturation(endpoint, now)));
        },
      },
    };
  },
});
