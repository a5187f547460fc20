import type { ParserName } from "../plugins/parsers.ts";
import type { ApproxPrefixCacheParameters } from "../plugins/producers/approx-prefix-cache-producer.ts";
import type { MetricsExtractorParameters } from "../plugins/producers/core-metrics-extractor.ts";
import type { MetricsSourceParameters } from "../plugins/producers/metrics-data-source.ts";
import type { PrecisePrefixCacheParameters } from "../plugins/producers/precise-prefix-cache-producer.ts";
import type { TokenSource } from "../plugins/producers/token-producer.ts";

/** A configuration with upstream's defaults and with resolved references. */
export interface PickerConfig {
  /** Plugins that take part in scheduling, in the order of the document. */
  readonly plugins: readonly ConfiguredPlugin[];
  readonly profiles: readonly ConfiguredProfile[];
  readonly handler: ConfiguredPlugin;
  readonly detector: ConfiguredPlugin;
  readonly parsers: readonly ParserName[];
  /** Producers of prefix caches, by name. */
  readonly prefixCaches: ReadonlyMap<string, ConfiguredPrefixCache>;
  /** Source of a prompt's tokens; undefined if they are estimated. */
  readonly tokens: TokenSource | undefined;
  /** Undefined if metrics are not read. */
  readonly metrics:
    | { readonly source: MetricsSourceParameters; readonly engines: MetricsExtractorParameters }
    | undefined;
  /** Undefined if feature gate `flowControl` is off. */
  readonly flowControl: ConfiguredFlowControl | undefined;
}

/** Parameters of a prefix cache: one that is estimated, or one that model servers report in KV events. */
export type ConfiguredPrefixCache =
  | { readonly kind: "approximate"; readonly parameters: ApproxPrefixCacheParameters }
  | { readonly kind: "precise"; readonly parameters: PrecisePrefixCacheParameters };

/** Section `flowControl`. Limits that are not set are infinite. */
export interface ConfiguredFlowControl {
  readonly maxRequests: number;
  readonly maxBytes: number;
  /** Time for which a request waits, in ms. */
  readonly requestTtl: number;
  /** Time for which a request waits while the pool is empty, in ms. */
  readonly noEndpointTtl: number;
  /** One band always has priority 0. */
  readonly bands: ReadonlyArray<ConfiguredBand & { readonly priority: number }>;
  readonly defaultBand: ConfiguredBand;
  readonly defaultNegativeBand: ConfiguredBand;
  readonly ceilings: ConfiguredPlugin;
  readonly bandPolicy: "strict" | "weighted";
  /** Whether requests below priority 0 may be evicted for requests of higher priority. */
  readonly evicts: boolean;
}

export interface ConfiguredBand {
  readonly weight: number;
  readonly maxRequests: number;
  readonly maxBytes: number;
  readonly fairness: ConfiguredPlugin;
  readonly ordering: ConfiguredPlugin;
}

export interface ConfiguredProfile {
  readonly name: string;
  readonly plugins: ReadonlyArray<{ readonly plugin: ConfiguredPlugin; readonly weight: number }>;
  readonly picker: ConfiguredPlugin;
}

/** A plugin that takes part in scheduling. All references to a plugin share one object. */
export interface ConfiguredPlugin {
  readonly name: string;
  readonly type: string;
  /** Parsed by the plugin's schema. */
  readonly parameters: unknown;
  /** Name of the prefix cache that the plugin reads. */
  readonly prefixCache?: string | undefined;
}
