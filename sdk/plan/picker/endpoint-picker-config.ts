import { endpointPickerConfigVersion } from "../../../kubernetes/kinds/endpoint-picker-config.ts";
import { kvEventPorts } from "../../engines/containers/kv-events.ts";
import { label } from "../../names.ts";
import type { ComponentType, RoutingStrategy } from "../../spec/role.ts";
import { flowControlConfig, type Waiting } from "./flow-control.ts";

/**
 * Endpoint picker configurations of the routing strategies (EndpointPickerConfig, llm-d.ai/v1alpha1). Every scorer has
 * a weight, and the picker plugin comes last. Older pickers fail at the first request if a weight is missing or a
 * scorer follows the picker plugin.
 */

interface Plugin {
  readonly type: string;
  readonly name?: string;
  readonly parameters?: Record<string, unknown>;
}

interface PluginReference {
  readonly pluginRef: string;
  readonly weight?: number;
}

export interface EndpointPickerConfig {
  readonly apiVersion: typeof endpointPickerConfigVersion;
  readonly kind: "EndpointPickerConfig";
  readonly featureGates?: readonly string[];
  readonly plugins: readonly Plugin[];
  readonly schedulingProfiles: ReadonlyArray<{ name: string; plugins: readonly PluginReference[] }>;
  readonly flowControl?: object;
}

const picker = "max-score-picker";
const decider = "always-disagg-pd-decider";

/**
 * Scores load and cached prefixes by their expected cost. Part of every strategy, so that no strategy lets queues build
 * up.
 */
const cost = "prefill-cost-scorer";

/**
 * Scorers and weights of each strategy that uses all pods alike: the scorer that gives the strategy its name, and the
 * cost. The weights had the best results in `npm run bench routing`.
 */
const scorers = {
  "prefix-cache": { [cost]: 100 },
  "kv-cache-utilization": { "kv-cache-utilization-scorer": 40, [cost]: 60 },
  "queue-size": { "queue-scorer": 20, [cost]: 80 },
  "lora-affinity": { "lora-affinity-scorer": 40, [cost]: 60 },
} as const satisfies Partial<Record<RoutingStrategy, Weights>>;

type Weights = Readonly<Record<string, number>>;

/**
 * Prefixes are matched over up to 1,048,576 tokens, which is more than the context of today's models: 92 % of an agent's
 * prompts exceed 16,384 tokens. The index keeps as many blocks per server as a server's cache.
 */
const estimate = { maxPrefixTokensToMatch: 1_048_576, lruCapacityPerServer: 31250 };

const estimatedPrefixes: Plugin = { type: "approx-prefix-cache-producer", parameters: estimate };

/** Prefixes from the KV events of the engines' ranks, at the ports at which the plan lets them publish. */
const reportedPrefixes = (ranks: number): Plugin => ({
  type: "precise-prefix-cache-producer",
  parameters: {
    kvEventsConfig: {
      podDiscoveryConfig: {
        socketPort: kvEventPorts.events,
        replaySocketPort: kvEventPorts.replay,
        ...(ranks > 1 && { dataParallelSize: ranks }),
      },
    },
    speculativeIndexing: true,
    estimate,
  },
});

/** Engines have self-signed certificates, which clients in the cluster cannot verify. */
const metricsOverTls: Plugin = {
  type: "metrics-data-source",
  parameters: { scheme: "https", insecureSkipVerify: true },
};

/** Settings of a configuration besides the strategy. */
interface Beside extends Waiting {
  /** Whether engines publish their cached prefixes as KV events. */
  readonly kvEvents?: boolean | undefined;
  /** Number of ranks of each engine. Default 1. */
  readonly eventRanks?: number;
  /** Whether the engines serve HTTPS, including their metrics. Default false. */
  readonly isTls?: boolean;
  /** Whether a decoder uses only prefillers of its own KV format. Default false. */
  readonly sameKvFormat?: boolean;
  /** Requests that each endpoint runs at once. Default: the picker learns it. */
  readonly requestSlots?: number | undefined;
}

export function endpointPickerConfig(
  strategy: RoutingStrategy,
  {
    kvEvents = false,
    eventRanks = 1,
    isTls = false,
    sameKvFormat = false,
    requestSlots,
    ...waiting
  }: Beside = {},
): EndpointPickerConfig {
  const prefixes = kvEvents ? reportedPrefixes(eventRanks) : estimatedPrefixes;
  const { apiVersion, kind, plugins, schedulingProfiles } =
    strategy === "pd-disaggregation"
      ? disaggregated(prefixes, sameKvFormat)
      : uniform(scorers[strategy], prefixes);
  const flow = flowControlConfig(waiting, requestSlots);
  return {
    apiVersion,
    kind,
    ...flow.gates,
    plugins: [...plugins, ...flow.plugins, ...(isTls ? [metricsOverTls] : [])],
    schedulingProfiles,
    ...flow.section,
  };
}

/**
 * Returns a configuration as YAML text: the given one, or the configuration of a strategy. Written as JSON, which is
 * valid YAML, so that no YAML formatter changes it.
 */
export function pickerConfigText(
  written: {
    readonly endpointPickerConfig?: string | undefined;
    readonly strategy?: RoutingStrategy | undefined;
  },
  byDefault: RoutingStrategy,
  beside?: Beside,
): string {
  if (written.endpointPickerConfig !== undefined) return written.endpointPickerConfig;
  const config = endpointPickerConfig(written.strategy ?? byDefault, beside);
  return `${JSON.stringify(config, null, 2)}\n`;
}

function uniform(weights: Weights, prefixes: Plugin): EndpointPickerConfig {
  return {
    apiVersion: endpointPickerConfigVersion,
    kind: "EndpointPickerConfig",
    plugins: [prefixes, ...Object.keys(weights).map((type) => ({ type })), { type: picker }],
    schedulingProfiles: [
      { name: "default", plugins: [...scoring(weights), { pluginRef: picker }] },
    ],
  };
}

const scoring = (weights: Weights): PluginReference[] =>
  Object.entries(weights).map(([pluginRef, weight]) => ({ pluginRef, weight }));

/** Every request is prefilled by a prefiller and decoded by a decoder, each chosen by the cost of the request there. */
function disaggregated(prefixes: Plugin, sameKvFormat: boolean): EndpointPickerConfig {
  const weights = scorers["prefix-cache"];
  const profile = (name: string, filter: string) => ({
    name,
    plugins: [{ pluginRef: filter }, ...scoring(weights), { pluginRef: picker }],
  });
  return {
    apiVersion: endpointPickerConfigVersion,
    kind: "EndpointPickerConfig",
    plugins: [
      { type: decider },
      {
        type: "disagg-profile-handler",
        parameters: {
          ...(sameKvFormat && { sameKvFormat }),
          profiles: { prefill: "prefill", decode: "decode" },
          deciders: { prefill: decider },
        },
      },
      componentFilter("prefill-pods", "prefiller"),
      componentFilter("decode-pods", "decoder"),
      prefixes,
      ...Object.keys(weights).map((type) => ({ type })),
      { type: picker },
    ],
    schedulingProfiles: [profile("prefill", "prefill-pods"), profile("decode", "decode-pods")],
  };
}

function componentFilter(name: string, componentType: ComponentType): Plugin {
  return {
    type: "label-selector-filter",
    name,
    parameters: { matchLabels: { [label.componentType]: componentType } },
  };
}
