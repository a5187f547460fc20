import { z } from "zod";
import type { Endpoint } from "../../endpoints/endpoint.ts";
import { pluginType } from "../../profiles/plugin.ts";
import { amount, positiveCount } from "../parameter-types.ts";
import { inFlightLoadProducerName } from "../producers/producer-names.ts";

export const concurrencyDetector = pluginType({
  type: "concurrency-detector",
  kinds: ["filter", "detector"],
  summary: "A pod is full when the picker's in-flight requests or tokens there reach a limit.",
  parameters: z.strictObject({
    maxConcurrency: positiveCount.default(100),
    headroom: amount
      .default(0)
      .describe("As a filter: share by which a pod may exceed the limits."),
    concurrencyMode: z
      .enum(["requests", "tokens", "hybrid"])
      .default("requests")
      .describe("hybrid: the limit that is closer."),
    maxTokenConcurrency: positiveCount.default(1_000_000),
    inFlightLoadProducerName,
  }),
  create({ maxConcurrency, headroom, concurrencyMode, maxTokenConcurrency }) {
    /** Returns the load of a pod; in mode `hybrid`, the higher of the two loads. */
    const load = ({ live }: Endpoint) => {
      const requests = live.runningRequests / maxConcurrency;
      const tokens = live.runningTokens / maxTokenConcurrency;
      if (concurrencyMode === "requests") return requests;
      return concurrencyMode === "tokens" ? tokens : Math.max(requests, tokens);
    };
    // Whole requests and tokens, as in upstream.
    const maxRequests = Math.trunc(maxConcurrency * (1 + headroom));
    const maxTokens = Math.trunc(maxTokenConcurrency * (1 + headroom));
    const admits = ({ live }: Endpoint) =>
      (concurrencyMode === "tokens" || live.runningRequests < maxRequests) &&
      (concurrencyMode === "requests" || live.runningTokens < maxTokens);
    return {
      detector: {
        saturation: load,
        ...(concurrencyMode !== "tokens" && { slots: maxConcurrency }),
      },
      filter: { filter: (_, endpoints) => endpoints.filter(admits) },
    };
  },
});
