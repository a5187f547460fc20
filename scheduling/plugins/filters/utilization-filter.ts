import { z } from "zod";
import type { Endpoint } from "../../endpoints/endpoint.ts";
import type { Cycle } from "../../profiles/cycle.ts";
import { pluginType } from "../../profiles/plugin.ts";
import { amount } from "../parameter-types.ts";
import { inFlightLoadProducerName } from "../producers/producer-names.ts";

/** Signals that a condition may limit. They are 0 for an endpoint without metrics, as upstream does. */
const signals = {
  "active-requests": ({ live }: Endpoint) => live.runningRequests,
  "running-requests": (endpoint: Endpoint, cycle: Cycle) =>
    cycle.metrics(endpoint)?.runningRequests ?? 0,
  "waiting-queue": (endpoint: Endpoint, cycle: Cycle) =>
    cycle.metrics(endpoint)?.waitingRequests ?? 0,
  "kv-cache-utilization": (endpoint: Endpoint, cycle: Cycle) =>
    cycle.metrics(endpoint)?.kvCacheUsage ?? 0,
} as const;

const condition = z
  .strictObject({
    metric: z.enum(Object.keys(signals) as [keyof typeof signals]),
    maxValue: amount,
  })
  .refine(({ metric, maxValue }) => metric !== "kv-cache-utilization" || maxValue <= 1, {
    message: "kv-cache-utilization is a share: write a number from 0 to 1",
    path: ["maxValue"],
  });

export const utilizationFilter = pluginType({
  type: "utilization-filter",
  kinds: ["filter"],
  summary: "Keeps pods below every limit on requests, waiting requests or KV cache.",
  parameters: z.strictObject({
    conditions: z.array(condition).min(1),
    fallbackOnEmpty: z
      .boolean()
      .default(false)
      .describe("Keeps all pods if none is below the limits."),
    inFlightLoadProducerName,
  }),
  create: ({ conditions, fallbackOnEmpty }) => ({
    filter: {
      filter(cycle, endpoints) {
        const left = endpoints.filter((endpoint) =>
          conditions.every(({ metric, maxValue }) => signals[metric](endpoint, cycle) <= maxValue),
        );
        return left.length === 0 && fallbackOnEmpty ? endpoints : left;
      },
    },
  }),
});
