import { z } from "zod";

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
  interval: z.string().default(""),
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
  customMetrics: z.array(z.unknown()).max(0, "custom metrics are not read").optional(),
});

/** Parameters of core-metrics-extractor (llm-d-router, datalayer/extractor/metrics). */
export const metricsExtractorParameters = z.strictObject({
  engineLabelKey: z.string().optional(),
  defaultEngine: z.string().optional(),
  engineConfigs: z.array(engine).optional(),
});
export type MetricsExtractorParameters = z.infer<typeof metricsExtractorParameters>;

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
