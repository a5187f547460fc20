import * as detectors from "../config/plugins/detectors.ts";
import type { Endpoint } from "../endpoint.ts";
import { pluginType } from "../plugin.ts";

export const concurrencyDetector = pluginType({
  ...detectors.concurrencyDetector,
  create({ maxConcurrency, headroom, concurrencyMode, maxTokenConcurrency }) {
    /** Of a pod. In mode hybrid the scarcer of both counts. */
    const load = ({ live }: Endpoint) => {
      const requests = live.runningRequests / maxConcurrency;
      const tokens = live.runningTokens / maxTokenConcurrency;
      if (concurrencyMode === "requests") return requests;
      return concurrencyMode === "tokens" ? tokens : Math.max(requests, tokens);
    };
    // Whole requests and tokens, as upstream counts them.
    const maxRequests = Math.trunc(maxConcurrency * (1 + headroom));
    const maxTokens = Math.trunc(maxTokenConcurrency * (1 + headroom));
    const admits = ({ live }: Endpoint) =>
      (concurrencyMode === "tokens" || live.runningRequests < maxRequests) &&
      (concurrencyMode === "requests" || live.runningTokens < maxTokens);
    return {
      detector: {
        saturation: (endpoints) =>
          endpoints.length === 0
            ? 1
            : endpoints.reduce((sum, endpoint) => sum + load(endpoint), 0) / endpoints.length,
      },
      filter: { filter: (_, endpoints) => endpoints.filter(admits) },
    };
  },
});
