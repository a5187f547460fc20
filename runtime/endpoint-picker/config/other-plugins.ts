import { z } from "zod";
import { approxPrefixCacheParameters } from "../scheduling/prefix-cache/producer.ts";

/** Plugins of a configuration that take no part in scheduling, by what they are. */

/** Parameters of metrics-data-source (llm-d-router, datalayer/source/metrics). */
export const metricsSourceParameters = z.strictObject({
  scheme: z.enum(["http", "https"]).default("http"),
  path: z.string().startsWith("/").default("/metrics"),
  port: z.number().int().min(1).max(65_535).optional(),
  insecureSkipVerify: z.boolean().default(true),
  caCertPath: z.string().default(""),
  clientCertPath: z.string().default(""),
  clientKeyPath: z.string().default(""),
  interval: z.string().default("").describe("Not used: --refresh-metrics-interval says."),
});
export type MetricsSourceParameters = z.infer<typeof metricsSourceParameters>;

const engine = z.strictObject({
  name: z.string().min(1),
  queuedRequestsSpec: z.string().optional(),
  runningRequestsSpec: z.string().optional(),
  kvUsageSpec: z.string().optional(),
  loraSpec: z.string().optional(),
  cacheInfoSpec: z.string().optional(),
  cacheBlockSizeLabelName: z.string().optional(),
  cacheNumBlocksLabelName: z.string().optional(),
  cacheBlockSizeSpec: z.string().optional(),
  cacheNumBlocksSpec: z.string().optional(),
  customMetrics: z
    .array(z.unknown())
    .max(0, "custom metrics are not read")
    .optional()
    .describe("Refused: they are not read."),
});

/** Parameters of core-metrics-extractor (llm-d-router, datalayer/extractor/metrics). */
export const metricsExtractorParameters = z.strictObject({
  engineLabelKey: z.string().optional(),
  defaultEngine: z.string().optional(),
  engineConfigs: z.array(engine).optional(),
});
export type MetricsExtractorParameters = z.infer<typeof metricsExtractorParameters>;

/** A plugin that the scheduler or the scraper is set up by. */
export interface DataPlugin {
  readonly type: string;
  /** One line for the documentation. */
  readonly summary: string;
  readonly parameters: z.ZodType;
}

export const prefixCacheProducer = {
  type: "approx-prefix-cache-producer",
  summary:
    "Remembers which prompts went to which endpoint. Made by itself where a plugin needs it.",
  parameters: approxPrefixCacheParameters,
} satisfies DataPlugin;

export const metricsSource = {
  type: "metrics-data-source",
  summary:
    "How model servers' metrics are fetched. Made by itself unless dataLayer.injectDefaults is false.",
  parameters: metricsSourceParameters,
} satisfies DataPlugin;

export const metricsExtractor = {
  type: "core-metrics-extractor",
  summary: "What is read in them, by engine.",
  parameters: metricsExtractorParameters,
} satisfies DataPlugin;

export const dataPlugins: readonly DataPlugin[] = [
  prefixCacheProducer,
  metricsSource,
  metricsExtractor,
];

/** Plugins that are taken as something simpler, and what that is. */
export const simplifiedPlugins: Readonly<Record<string, string>> = {
  "precise-prefix-cache-producer": "caches are estimated, cache events are not read",
  "token-producer": "tokens are estimated by length, at four bytes each",
  tokenizer: "tokens are estimated by length, at four bytes each",
};

/** Plugins that are read and do nothing here, and what happens instead. */
export const ignoredPlugins: Readonly<Record<string, string>> = {
  "inflight-load-producer": "requests and tokens on their way are always counted",
  "session-id-producer": "session plugins read the header themselves",
  "agent-identity": "agents are always told by their session headers",
  "disagg-headers-handler": "the profile handler sets the header itself",
  "prefill-header-handler": "the profile handler sets the header itself",
  "endpoint-notification-source": "the picker always watches the pool's pods",
  "k8s-notification-source": "the picker always watches the pool's objects",
  "models-data-source": "models are not read from the servers",
  "models-data-extractor": "models are not read from the servers",
  "request-attribute-reporter": "request attributes are not reported",
  "destination-endpoint-served-verifier": "a request with the conformance suite's header gets it",
  "static-usage-limit-policy": "flow control is not enforced",
  "soft-reflective-ceiling-policy": "flow control is not enforced",
  "priority-holdback-policy": "flow control is not enforced",
  "global-strict-fairness-policy": "flow control is not enforced",
  "round-robin-fairness-policy": "flow control is not enforced",
  "program-aware-fairness": "flow control is not enforced",
  "fcfs-ordering-policy": "flow control is not enforced",
  "edf-ordering-policy": "flow control is not enforced",
  "slo-deadline-ordering-policy": "flow control is not enforced",
};

/** Ignored plugins that change what a request gets, so that it must be said aloud. */
export const isLoud = (type: string) => ignoredPlugins[type] === "flow control is not enforced";
