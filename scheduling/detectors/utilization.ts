import * as detectors from "../config/plugins/detectors.ts";
import type { Endpoint } from "../endpoint.ts";
import { pluginType } from "../plugin.ts";

export const utilizationDetector = pluginType({
  ...detectors.utilizationDetector,
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
      detector: {
        saturation: (endpoints, now) =>
          endpoints.length === 0
            ? 1
            : endpoints.reduce((sum, endpoint) => sum + utilization(endpoint, now), 0) /
              endpoints.length,
      },
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
