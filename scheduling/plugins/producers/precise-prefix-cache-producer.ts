import { z } from "zod";
import { type Tier, tiers } from "../../kv-index/kv-event.ts";
import { share } from "../parameter-types.ts";
import { approxPrefixCacheParameters } from "./approx-prefix-cache-producer.ts";
import type { DataPlugin } from "./data-plugin.ts";

/** A parameter that this picker's index does not use. */
const unused = z.unknown().optional().describe("Not used.");

const podDiscovery = z.looseObject({
  socketPort: z
    .number()
    .int()
    .min(1)
    .max(65_535)
    .default(5557)
    .describe("Port on which a pod publishes events. Its second rank uses the next port."),
  replaySocketPort: z
    .number()
    .int()
    .max(65_535)
    .default(0)
    .describe("Port on which a pod replays events. 0: no replay."),
  dataParallelSize: z
    .number()
    .int()
    .min(1)
    .max(64)
    .default(1)
    .describe(
      "Number of ranks behind each target port, as set by vLLM's --data-parallel-size. The ranks publish on consecutive ports. Upstream has no such field.",
    ),
});

const kvEvents = z.looseObject({
  topicFilter: z.string().default("kv@").describe("Prefix of the topics to subscribe to."),
  discoverPods: z
    .boolean()
    .default(true)
    .describe("Subscribes to every endpoint of the pool, or to none."),
  podDiscoveryConfig: podDiscovery.prefault({}),
});

const tierWeight = z.strictObject({
  name: z.string().min(1),
  weight: share,
});

/** Parameters of precise-prefix-cache-producer (llm-d-router, dataproducer/preciseprefixcache). */
export const precisePrefixCacheParameters = z.strictObject({
  kvEventsConfig: kvEvents.prefault({}).describe("Where engines publish events."),
  indexerConfig: z
    .looseObject({ kvCacheBackendConfigs: z.array(tierWeight).default([]) })
    .prefault({})
    .describe("`kvCacheBackendConfigs`: weight of a block per tier (gpu 1, cpu 0.8, storage 0.5)."),
  tokenProcessorConfig: unused,
  speculativeIndexing: z
    .boolean()
    .default(false)
    .describe(
      "Counts a prompt as cached on its endpoint from dispatch until its response begins, so that the next request finds it.",
    ),
  speculativeTTL: unused,
  estimate: approxPrefixCacheParameters
    .prefault({})
    .describe(
      "Parameters of approx-prefix-cache-producer, used for endpoints without events and requests without tokens. Upstream has no such field.",
    ),
});

export type PrecisePrefixCacheParameters = z.infer<typeof precisePrefixCacheParameters>;

export const precisePrefixCacheProducer = {
  type: "precise-prefix-cache-producer",
  summary:
    "Tracks the cached prompts of each endpoint from its KV events. Created automatically if precise-prefix-cache-scorer needs it.",
  parameters: precisePrefixCacheParameters,
} satisfies DataPlugin;

/** Returns warnings about parameters without effect. */
export function unusedOf(parameters: Readonly<Record<string, unknown>>): string[] {
  const { kvEventsConfig, speculativeTTL } = parameters as {
    kvEventsConfig?: Readonly<Record<string, unknown>>;
    speculativeTTL?: unknown;
  };
  return [
    ...(kvEventsConfig?.zmqEndpoint
      ? [
          "kvEventsConfig.zmqEndpoint is ignored: the picker connects to the engines, not the engines to the picker",
        ]
      : []),
    ...(kvEventsConfig?.discoverPods === false
      ? ["kvEventsConfig.discoverPods is false: no events are received, and caches are estimated"]
      : []),
    ...(speculativeTTL !== undefined
      ? ["speculativeTTL is not used: a prefix that was sent counts until its response begins"]
      : []),
  ];
}

const defaultWeights: Readonly<Record<Tier, number>> = { gpu: 1, cpu: 0.8, storage: 0.5 };

/** Returns the weight of a block in each tier, in the order of `tiers`. */
export const tierWeights = ({ indexerConfig }: PrecisePrefixCacheParameters): number[] =>
  tiers.map((tier) => {
    const given = indexerConfig.kvCacheBackendConfigs.find(
      ({ name }) => name.toLowerCase() === tier,
    );
    return given?.weight ?? defaultWeights[tier];
  });

/** Number of ranks behind each endpoint that publish events. */
export const ranksBehindPort = ({ kvEventsConfig }: PrecisePrefixCacheParameters): number =>
  kvEventsConfig.podDiscoveryConfig.dataParallelSize;

/** Returns the ports of a pod's first rank; undefined if no events are received. */
export function kvEventSource({ kvEventsConfig }: PrecisePrefixCacheParameters) {
  const { topicFilter, discoverPods, podDiscoveryConfig } = kvEventsConfig;
  const { socketPort: port, replaySocketPort } = podDiscoveryConfig;
  const replayPort = replaySocketPort > 0 ? replaySocketPort : undefined;
  return discoverPods ? { topicFilter, port, replayPort } : undefined;
}
