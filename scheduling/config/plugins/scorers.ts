import { z } from "zod";
import { describedPlugin } from "../plugin-description.ts";
import { inFlightLoadProducerName, prefixMatchInfoProducerName } from "./producer-names.ts";

const nothing = z.strictObject({});

/** Without a word of its own a plugin reads the first producer's cache. */
const firstCache = () => ({});

export const queueScorer = describedPlugin({
  type: "queue-scorer",
  kinds: ["scorer"],
  summary: "The shorter the queue of waiting requests among the candidates, the better.",
  parameters: nothing,
});

export const runningRequestsSizeScorer = describedPlugin({
  type: "running-requests-size-scorer",
  kinds: ["scorer"],
  summary: "The fewer requests run among the candidates, the better.",
  parameters: nothing,
});

export const kvCacheUtilizationScorer = describedPlugin({
  type: "kv-cache-utilization-scorer",
  kinds: ["scorer"],
  summary: "1 - share of the KV cache in use.",
  parameters: nothing,
});

export const prefixCacheScorer = describedPlugin({
  type: "prefix-cache-scorer",
  kinds: ["scorer"],
  summary: "The share of the prompt's blocks that the endpoint has cached, from the start.",
  parameters: z.strictObject({
    prefixMatchInfoProducerName,
    matchLengthWeight: z
      .number()
      .min(0)
      .max(1)
      .default(0)
      .describe("Share of the score that goes by the length that matched, squared."),
    matchLengthScaleTokens: z
      .number()
      .int()
      .positive()
      .default(8192)
      .describe("The length that counts in full."),
  }),
  prefixCache: ({ prefixMatchInfoProducerName: producer }) => ({ producer }),
});

export const precisePrefixCacheScorer = describedPlugin({
  type: "precise-prefix-cache-scorer",
  kinds: ["scorer"],
  summary: "As prefix-cache-scorer: caches are estimated, servers' cache events are not read.",
  parameters: z.looseObject({}),
  prefixCache: firstCache,
  warnings: () => ["precise-prefix-cache-scorer: caches are estimated, cache events are not read"],
});

export const loraAffinityScorer = describedPlugin({
  type: "lora-affinity-scorer",
  kinds: ["scorer"],
  summary:
    "1 where the adapter serves, 0.8 where one more fits, 0.6 where requests wait for it, else 0.",
  parameters: nothing,
});

export const loadAwareScorer = describedPlugin({
  type: "load-aware-scorer",
  kinds: ["scorer"],
  summary: "0.5 with an empty queue, less with every waiting request, 0 from the threshold on.",
  parameters: z.strictObject({
    threshold: z.number().int().positive().default(128).describe("Waiting requests."),
  }),
});

export const activeRequestScorer = describedPlugin({
  type: "active-request-scorer",
  kinds: ["scorer"],
  summary: "1 for an idle endpoint; busy ones by their share of the busiest one's requests.",
  parameters: z.strictObject({
    requestTimeout: z.string().optional().describe("Not used."),
    idleThreshold: z
      .number()
      .int()
      .min(0)
      .default(0)
      .describe("Requests with which an endpoint still is idle."),
    maxBusyScore: z
      .number()
      .min(0)
      .max(1)
      .default(1)
      .describe("What busy endpoints' scores are multiplied by."),
    inFlightLoadProducerName,
  }),
});

export const tokenLoadScorer = describedPlugin({
  type: "token-load-scorer",
  kinds: ["scorer"],
  summary: "1 - (tokens on their way + this request's uncached ones) / threshold.",
  parameters: z.strictObject({
    queueThresholdTokens: z.number().int().positive().default(4_194_304),
    inFlightLoadProducerName,
  }),
});

export const noHitLruScorer = describedPlugin({
  type: "no-hit-lru-scorer",
  kinds: ["scorer"],
  summary:
    "Spreads requests that no server has cached: best is who got such a request longest ago, or never.",
  parameters: z.strictObject({
    prefixPluginType: z.string().optional().describe("Not used."),
    prefixPluginName: z.string().optional().describe("Not used."),
    lruSize: z
      .number()
      .int()
      .min(0)
      .default(1024)
      .describe("Endpoints that are remembered; 0: 1024."),
    prefixMatchInfoProducerName,
  }),
  prefixCache: ({ prefixMatchInfoProducerName: producer }) => ({ producer }),
});
