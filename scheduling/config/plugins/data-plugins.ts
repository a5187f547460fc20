import { z } from "zod";
import { builtInEngines } from "../engines.ts";
import { parseMetricSpec } from "../metric-spec.ts";

/** Plugins of a configuration that take no part in scheduling, by what they are. */

/** Tokens of a block where neither configuration nor server tell. */
export const defaultBlockTokens = 16;

/** Parameters of approx-prefix-cache-producer (llm-d-router, dataproducer/approximateprefix). */
export const approxPrefixCacheParameters = z
  .strictObject({
    autoTune: z
      .boolean()
      .default(true)
      .describe("Block size and capacity follow the servers' metrics."),
    blockSizeTokens: z.number().int().min(0).default(defaultBlockTokens),
    blockSize: z.number().int().min(0).default(0).describe("Older name of blockSizeTokens."),
    maxPrefixTokensToMatch: z
      .number()
      .int()
      .min(0)
      .default(131_072)
      .describe("Tokens of a prompt that are looked at; 0: maxPrefixBlocksToMatch decides."),
    maxPrefixBlocksToMatch: z.number().int().min(0).default(2048).describe("0: no limit."),
    lruCapacityPerServer: z
      .number()
      .int()
      .min(0)
      .default(31_250)
      .describe("Blocks kept of a server that does not say how many it has."),
  })
  .refine(({ autoTune, blockSizeTokens }) => autoTune || blockSizeTokens > 0, {
    message: "without autoTune it must be above 0",
    path: ["blockSizeTokens"],
  });

export type ApproxPrefixCacheParameters = z.infer<typeof approxPrefixCacheParameters>;

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

const metric = z.string().superRefine((text, context) => {
  try {
    if (text !== "") parseMetricSpec(text);
  } catch (error) {
    context.addIssue({ code: "custom", message: (error as Error).message });
  }
});

const engine = z.strictObject({
  name: z.string().min(1),
  queuedRequestsSpec: metric.optional(),
  runningRequestsSpec: metric.optional(),
  kvUsageSpec: metric.optional(),
  loraSpec: metric.optional(),
  cacheInfoSpec: metric.optional(),
  cacheBlockSizeLabelName: z.string().optional(),
  cacheNumBlocksLabelName: z.string().optional(),
  cacheBlockSizeSpec: metric.optional(),
  cacheNumBlocksSpec: metric.optional(),
  customMetrics: z
    .array(z.unknown())
    .max(0, "custom metrics are not read")
    .optional()
    .describe("Refused: they are not read."),
});

/** Parameters of core-metrics-extractor (llm-d-router, datalayer/extractor/metrics). */
export const metricsExtractorParameters = z
  .strictObject({
    engineLabelKey: z.string().optional(),
    defaultEngine: z.string().optional(),
    engineConfigs: z.array(engine).optional(),
  })
  .superRefine(({ defaultEngine, engineConfigs = [] }, context) => {
    const known = [...builtInEngines, ...engineConfigs].map(({ name }) => name);
    if (defaultEngine === undefined || known.includes(defaultEngine)) return;
    const message = `"${defaultEngine}" is unknown; there are ${known.join(", ")}`;
    context.addIssue({ code: "custom", message, path: ["defaultEngine"] });
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

/** A type may be called like what every object inherits. */
const mapOf = (entries: Readonly<Record<string, string>>) => new Map(Object.entries(entries));

/** Its caches are estimated, as those of approx-prefix-cache-producer. */
export const preciseProducerType = "precise-prefix-cache-producer";

/** Plugins that are taken as something simpler, and what that is. */
export const simplifiedPlugins: ReadonlyMap<string, string> = mapOf({
  [preciseProducerType]: "caches are estimated, cache events are not read",
  "token-producer": "tokens are estimated by length, at four bytes each",
  tokenizer: "tokens are estimated by length, at four bytes each",
});

/** Plugins that are read and do nothing here, and what happens instead. */
export const ignoredPlugins: ReadonlyMap<string, string> = mapOf({
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
});

/** Ignored plugins that change what a request gets, so that it must be said aloud. */
export const isLoud = (type: string) => ignoredPlugins.get(type) === "flow control is not enforced";
