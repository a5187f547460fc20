import { z } from "zod";
import { pluginType } from "../../profiles/plugin.ts";
import { duration, fullFrom, utilizationBy } from "./utilization-detector.ts";

/** Default detector without flow control: one hot pod or slow metrics do not make the pool full. */
export const freeEndpointDetector = pluginType({
  type: "free-endpoint-detector",
  kinds: ["detector"],
  summary:
    "The pool is as full as its emptiest endpoint with fresh metrics. An endpoint with stale or missing metrics is ignored; if all are, the pool is not full.",
  parameters: z.strictObject({
    ...fullFrom,
    // The maximum age of metrics for scorers.
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
