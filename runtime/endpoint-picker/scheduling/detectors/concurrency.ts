import { z } from "zod";
import type { Endpoint } from "../../datastore/endpoint.ts";
import { pluginType } from "../plugin.ts";

export const concurrencyDetector = pluginType({
  type: "concurrency-detector",
  summary: "Full where the picker's own requests or tokens on their way reach a limit a pod.",
  parameters: z.strictObject({
    maxConcurrency: z.number().int().positive().default(100),
    headroom: z.number().min(0).default(0),
    concurrencyMode: z.enum(["requests", "tokens", "hybrid"]).default("requests"),
    maxTokenConcurrency: z.number().int().positive().default(1_000_000),
    inFlightLoadProducerName: z.string().optional(),
  }),
  create({ maxConcurrency, headroom, concurrencyMode, maxTokenConcurrency }) {
    const load = (endpoints: readonly Endpoint[]) => {
      const sum = (of: (live: Endpoint["live"]) => number) =>
        endpoints.reduce((total, { live }) => total + of(live), 0) / endpoints.length;
      const requests = sum(({ runningRequests }) => runningRequests) / maxConcurrency;
      const tokens = sum(({ runningTokens }) => runningTokens) / maxTokenConcurrency;
      if (concurrencyMode === "requests") return requests;
      return concurrencyMode === "tokens" ? tokens : Math.max(requests, tokens);
    };
    return {
      detector: { saturation: (endpoints) => (endpoints.length === 0 ? 1 : load(endpoints)) },
      filter: {
        filter: (_, endpoints) => endpoints.filter((endpoint) => load([endpoint]) < 1 + headroom),
      },
    };
  },
});
