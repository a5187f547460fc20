import { z } from "zod";
import { type Tier, tiers } from "../kv-index/kv-event.ts";
import { approxPrefixCacheParameters } from "./approx-prefix-cache-producer.ts";
import type { DataPlugin } from "./data-plugin.ts";

/** What our index has no part for; those who set it are told. */
const unused = z.unknown().optional().describe("Not used.");

const podDiscovery = z.looseObject({
  socketPort: z
    .number()
    .int()
    .min(1)
    .max(65_535)
    .default(5557)
    .describe("Port of a pod's publisher; the pod's second rank has the next one."),
  replaySocketPort: z
    .number()
    .int()
    .max(65_535)
    .default(0)
    .describe("The same of what answers replays; 0: nothing does."),
  dataParallelSize: z
    .number()
    .int()
    .min(1)
    .max(64)
    .default(1)
    .describe(
      "Ranks behind each target port, as of vLLM's --data-parallel-size: each has a publisher, on the next port. Upstream has no such field.",
    ),
});

const kvEvents = z.looseObject({
  topicFilter: z.string().default("kv@").describe("Topics that are heard begin so."),
  discoverPods: z
    .boolean()
    .default(true)
    .describe("Every endpoint of the pool is heard; otherwise none."),
  podDiscoveryConfig: podDiscovery.prefault({}),
});

const tierWeight = z.strictObject({
  name: z.string().min(1),
  weight: z.number().min(0).max(1),
});

/** Parameters of precise-prefix-cache-producer (llm-d-router, dataproducer/preciseprefixcache). */
export const precisePrefixCacheParameters = z.strictObject({
  kvEventsConfig: kvEvents.prefault({}).describe("Where events are published."),
  indexerConfig: z
    .looseObject({ kvCacheBackendConfigs: z.array(tierWeight).default([]) })
    .prefault({})
    .describe(
      "`kvCacheBackendConfigs`: what a block counts in a tier (gpu 1, cpu 0.8, storage 0.5).",
    ),
  tokenProcessorConfig: unused,
  speculativeIndexing: z
    .boolean()
    .default(false)
    .describe(
      "What was sent to an endpoint counts as cached there before its answer begins: what comes after it finds it there.",
    ),
  speculativeTTL: unused,
  estimate: approxPrefixCacheParameters
    .prefault({})
    .describe(
      "Parameters of approx-prefix-cache-producer, for endpoints whose events do not come and requests whose tokens are not known. Upstream has no such field.",
    ),
});

export type PrecisePrefixCacheParameters = z.infer<typeof precisePrefixCacheParameters>;

export const precisePrefixCacheProducer = {
  type: "precise-prefix-cache-producer",
  summary:
    "Hears which prompts each endpoint has cached, by its KV events. Made by itself where precise-prefix-cache-scorer needs it.",
  parameters: precisePrefixCacheParameters,
} satisfies DataPlugin;

/** What of its parameters does nothing here. */
export function unusedOf(parameters: Readonly<Record<string, unknown>>): string[] {
  const { kvEventsConfig, speculativeTTL } = parameters as {
    kvEventsConfig?: Readonly<Record<string, unknown>>;
    speculativeTTL?: unknown;
  };
  return [
    ...(kvEventsConfig?.zmqEndpoint
      ? [
          "kvEventsConfig.zmqEndpoint is not used: the picker connects to the engines, not they to it",
        ]
      : []),
    ...(kvEventsConfig?.discoverPods === false
      ? ["kvEventsConfig.discoverPods is false: no events are heard, and caches are estimated"]
      : []),
    ...(speculativeTTL !== undefined
      ? ["speculativeTTL is not used: what was sent counts until its answer begins"]
      : []),
  ];
}

const defaultWeights: Readonly<Record<Tier, number>> = { gpu: 1, cpu: 0.8, storage: 0.5 };

/** What a block counts in each tier, in their order. */
export const tierWeights = ({ indexerConfig }: PrecisePrefixCacheParameters): number[] =>
  tiers.map((tier) => {
    const given = indexerConfig.kvCacheBackendConfigs.find(
      ({ name }) => name.toLowerCase() === tier,
    );
    return given?.weight ?? defaultWeights[tier];
  });

/** Ranks behind each endpoint that publish. */
export const ranksBehindPort = ({ kvEventsConfig }: PrecisePrefixCacheParameters): number =>
  kvEventsConfig.podDiscoveryConfig.dataParallelSize;

/** Ports of a pod's first rank; undefined where no events are heard. */
export function kvEventSource({ kvEventsConfig }: PrecisePrefixCacheParameters) {
  const { topicFilter, discoverPods, podDiscoveryConfig } = kvEventsConfig;
  const { socketPort: port, replaySocketPort } = podDiscoveryConfig;
  const replayPort = replaySocketPort > 0 ? replaySocketPort : undefined;
  return discoverPods ? { topicFilter, port, replayPort } : undefined;
}
