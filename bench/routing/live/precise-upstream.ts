import { kvEventPorts } from "../../../sdk/topology/kv-events.ts";

/** Configurations of llm-d's picker that hear the KV events of engines: prefixes are known exactly there, too. */

const producer = "precise-prefix-cache-producer";

/** Blocks of the simulated engines, in tokens. */
const blockSize = 16;

/** @param tokens the server that is asked for the tokens of prompts */
function hearing(tokens: string) {
  const podDiscoveryConfig = { socketPort: kvEventPorts.events };
  const plugins = [
    { type: "token-producer", parameters: { modelName: "base", vllm: { url: tokens } } },
    { type: "endpoint-notification-source" },
    { type: "metrics-data-source" },
    { type: "core-metrics-extractor" },
    {
      type: producer,
      parameters: {
        tokenProcessorConfig: { blockSize },
        kvEventsConfig: { topicFilter: "kv@", discoverPods: true, podDiscoveryConfig },
      },
    },
  ];
  const dataLayer = {
    sources: [
      { pluginRef: "metrics-data-source", extractors: [{ pluginRef: "core-metrics-extractor" }] },
      { pluginRef: "endpoint-notification-source", extractors: [{ pluginRef: producer }] },
    ],
  };
  return { plugins, dataLayer };
}

const prefixMatchInfoProducerName = producer;

/** As llm-d's own example of a precise prefix cache has it. */
export function upstreamsPrecise(tokens: string): string {
  const { plugins, dataLayer } = hearing(tokens);
  return JSON.stringify({
    apiVersion: "llm-d.ai/v1alpha1",
    kind: "EndpointPickerConfig",
    plugins: [
      ...plugins,
      { type: "single-profile-handler" },
      { type: "prefix-cache-scorer", parameters: { prefixMatchInfoProducerName } },
      { type: "kv-cache-utilization-scorer" },
      { type: "queue-scorer" },
      { type: "max-score-picker" },
    ],
    dataLayer,
    schedulingProfiles: [
      {
        name: "default",
        plugins: [
          { pluginRef: "prefix-cache-scorer", weight: 2 },
          { pluginRef: "kv-cache-utilization-scorer", weight: 1 },
          { pluginRef: "queue-scorer", weight: 1 },
          { pluginRef: "max-score-picker" },
        ],
      },
    ],
  });
}

/** The best that was found of its plugins, with prefixes that are known exactly. */
export function upstreamsBestPrecise(tokens: string): string {
  const { plugins, dataLayer } = hearing(tokens);
  return JSON.stringify({
    apiVersion: "llm-d.ai/v1alpha1",
    kind: "EndpointPickerConfig",
    plugins: [
      ...plugins,
      { type: "inflight-load-producer" },
      { type: "single-profile-handler" },
      { type: "prefix-cache-affinity-filter", parameters: { prefixMatchInfoProducerName } },
      { type: "active-request-scorer" },
      { type: "token-load-scorer" },
      { type: "max-score-picker" },
    ],
    dataLayer,
    schedulingProfiles: [
      {
        name: "default",
        plugins: [
          { pluginRef: "prefix-cache-affinity-filter" },
          { pluginRef: "active-request-scorer", weight: 1 },
          { pluginRef: "token-load-scorer", weight: 2 },
          { pluginRef: "max-score-picker" },
        ],
      },
    ],
  });
}
