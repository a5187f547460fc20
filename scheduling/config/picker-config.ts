import type { ParserName } from "../plugins/parsers.ts";
import type { ApproxPrefixCacheParameters } from "../plugins/producers/approx-prefix-cache-producer.ts";
import type { MetricsExtractorParameters } from "../plugins/producers/core-metrics-extractor.ts";
import type { MetricsSourceParameters } from "../plugins/producers/metrics-data-source.ts";
import type { PrecisePrefixCacheParameters } from "../plugins/producers/precise-prefix-cache-producer.ts";
import type { TokenSource } from "../plugins/producers/token-producer.ts";

/** A configuration with upstream's defaults for what it leaves out, and every reference followed. */
export interface PickerConfig {
  /** Plugins that take part in scheduling, in the order of the document. */
  readonly plugins: readonly ConfiguredPlugin[];
  readonly profiles: readonly ConfiguredProfile[];
  readonly handler: ConfiguredPlugin;
  readonly detector: ConfiguredPlugin;
  readonly parsers: readonly ParserName[];
  /** Producers of prefix caches, by name. */
  readonly prefixCaches: ReadonlyMap<string, ConfiguredPrefixCache>;
  /** Who tells the tokens of prompts; undefined where they are estimated. */
  readonly tokens: TokenSource | undefined;
  /** Undefined where metrics are not to be read. */
  readonly metrics:
    | { readonly source: MetricsSourceParameters; readonly engines: MetricsExtractorParameters }
    | undefined;
  /** Undefined where requests do not wait: gate `flowControl` is shut. */
  readonly flowControl: ConfiguredFlowControl | undefined;
}

/** A prefix cache that is estimated, or one that model servers tell by events. */
export type ConfiguredPrefixCache =
  | { readonly kind: "approximate"; readonly parameters: ApproxPrefixCacheParameters }
  | { readonly kind: "precise"; readonly parameters: PrecisePrefixCacheParameters };

/** Section `flowControl`. Numbers that have no limit are infinite. */
export interface ConfiguredFlowControl {
  readonly maxRequests: number;
  readonly maxBytes: number;
  /** Milliseconds. */
  readonly requestTtl: number;
  /** Milliseconds, while the pool is empty. */
  readonly noEndpointTtl: number;
  /** One has priority 0. */
  readonly bands: ReadonlyArray<ConfiguredBand & { readonly priority: number }>;
  readonly defaultBand: ConfiguredBand;
  readonly defaultNegativeBand: ConfiguredBand;
  readonly ceilings: ConfiguredPlugin;
  readonly bandPolicy: "strict" | "weighted";
  /** Requests below priority 0 are cut off for those of higher priority. */
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

/** A plugin that takes part in scheduling. One object is one plugin, whatever refers to it. */
export interface ConfiguredPlugin {
  readonly name: string;
  readonly type: string;
  /** As the plugin's schema reads them. */
  readonly parameters: unknown;
  /** Name of the prefix cache that it reads. */
  readonly prefixCache?: string | undefined;
}
