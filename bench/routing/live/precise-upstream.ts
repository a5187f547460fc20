import { kvEventPorts } from "../../../sdk/engines/containers/kv-events.ts";
import { bestOfUpstream } from "../routers.ts";

/** Configurations of llm-d's picker that hear the KV events of engines: prefixes are known exactly there, too. */

const producer = "precise-prefix-cache-producer";

/** Blocks of the simulated engines, in tokens. */
const blockSize = 16;

const podDiscoveryConfig = { socketPort: kvEventPorts.events };
const kvEventsConfig = { topicFilter: "kv@", discoverPods: true, podDiscoveryConfig };

/** The plugins that read the producer's data and need its name. */
const readers: readonly string[] = ["prefix-cache-scorer", "prefix-cache-affinity-filter"];

interface Profile {
  readonly pluginRef: string;
  readonly weight: number;
}

interface Besides {
  /** Producers. */
  readonly others?: readonly string[];
  /** A sent prompt counts as cached for two seconds. */
  readonly speculativeIndexing?: boolean;
}

/** @param tokens the server that is asked for the tokens of prompts */
const hearing = (
  tokens: string,
  profile: readonly Profile[],
  { others = [], speculativeIndexing = false }: Besides = {},
) =>
  JSON.stringify({
    apiVersion: "llm-d.ai/v1alpha1",
    kind: "EndpointPickerConfig",
    plugins: [
      { type: "token-producer", parameters: { modelName: "base", vllm: { url: tokens } } },
      { type: "endpoint-notification-source" },
      { type: "metrics-data-source" },
      { type: "core-metrics-extractor" },
      {
        type: producer,
        parameters: { tokenProcessorConfig: { blockSize }, kvEventsConfig, speculativeIndexing },
      },
      ...others.map((type) => ({ type })),
      { type: "single-profile-handler" },
      ...profile.map(({ pluginRef: type }) => ({
        type,
        ...(readers.includes(type) && { parameters: { prefixMatchInfoProducerName: producer } }),
      })),
      { type: "max-score-picker" },
    ],
    dataLayer: {
      sources: [
        { pluginRef: "metrics-data-source", extractors: [{ pluginRef: "core-metrics-extractor" }] },
        { pluginRef: "endpoint-notification-source", extractors: [{ pluginRef: producer }] },
      ],
    },
    schedulingProfiles: [
      { name: "default", plugins: [...profile, { pluginRef: "max-score-picker" }] },
    ],
  });

/** The same as in llm-d's example of a precise prefix cache. */
export const upstreamsPrecise = (tokens: string): string =>
  hearing(tokens, [
    { pluginRef: "prefix-cache-scorer", weight: 2 },
    { pluginRef: "kv-cache-utilization-scorer", weight: 1 },
    { pluginRef: "queue-scorer", weight: 1 },
  ]);

/** The best that was found of its plugins, with prefixes that are known exactly. */
export const upstreamsBestPrecise = (tokens: string): string =>
  hearing(tokens, bestOfUpstream, {
    others: ["inflight-load-producer"],
    speculativeIndexing: true,
  });
