/**
 * Upstream's plugin types that this picker does not have: llm-d-router to 0.11, llm-d-inference-scheduler from 0.2,
 * gateway-api-inference-extension from 0.3.
 */

/** A type without which requests are served all the same, and less well. */
export interface LostType {
  readonly type: string;
  /** What is lost without it. */
  readonly loses: string;
}

/** A type without which requests would go where they must not. */
export interface RefusedType {
  readonly type: string;
  /** Why it is refused, and what to use instead. */
  readonly why: string;
}

const lost = (type: string, loses: string): LostType => ({ type, loses });
const refused = (type: string, why: string): RefusedType => ({ type, why });

const noPredictions = "no latency is predicted; prefill-cost-scorer weighs the expected wait";
const noPictures = "requests do not follow the pods that have encoded their pictures before";
const noGpuMetrics = "metrics of GPUs (DCGM) are not read";
const noObservedLatency = "clusters are not ranked by observed latency";

/** Scorers, and the plugins that only feed scorers or tell others what happens. */
export const lostTypes: readonly LostType[] = [
  lost("latency-scorer", noPredictions),
  lost("predicted-latency-producer", noPredictions),
  lost("lmetric-scorer", "prefix-cache-scorer and token-load-scorer weigh the same signals"),
  lost("mm-embeddings-cache-scorer", noPictures),
  lost("mm-embeddings-cache-producer", noPictures),
  lost("endpoint-attribute-scorer", "endpoints are not scored by attributes such as GPU load"),
  lost("dcgm-data-source", noGpuMetrics),
  lost("dcgm-extractor", noGpuMetrics),
  lost("latency-observer-producer-hub", noObservedLatency),
  lost("latency-observation-scorer-hub", noObservedLatency),
  lost("mrl-scorer-hub", noObservedLatency),
  ...[
    "multicluster-metrics-data-source",
    "multicluster-metrics-extractor",
    "multicluster-queue-scorer",
    "multicluster-kv-cache-utilization-scorer",
    "multicluster-prefix-cache-scorer",
    "multicluster-approx-prefix-cache-producer",
  ].map((type) => lost(type, "clusters are not scored; imported pools choose among them")),
  lost("p2p-source-producer", "pods are not told which other pod to fetch a cached prefix from"),
  lost(
    "probabilistic-admitter",
    "sheddable requests are refused when the pool is full, and not at random before",
  ),
  lost(
    "latency-slo-admitter",
    "sheddable requests are refused when the pool is full, and not by a predicted latency",
  ),
];

const multiCluster = "clusters are imported pools here: see docs/multi-cluster.md";
const removedFilter =
  "upstream removed it in 1.0: use queue-scorer, kv-cache-utilization-scorer and lora-affinity-scorer with max-score-picker";

/** Filters, parsers, handlers and sources of endpoints. */
export const refusedTypes: readonly RefusedType[] = [
  refused(
    "slo-headroom-tier-filter",
    "no latency is predicted: leave it out; prefill-cost-scorer weighs the expected wait",
  ),
  refused(
    "endpoint-attribute-filter",
    "attributes of endpoints are not known: utilization-filter goes by requests and KV cache",
  ),
  refused(
    "disaggregatedset-rollout-screener",
    "revisions of a DisaggregatedSet are not told apart: use label-selector-filter",
  ),
  refused(
    "thunder-agent",
    "programs are not admitted by the memory they need: use concurrency-detector and program-aware-fairness",
  ),
  ...[
    "decision-tree-filter",
    "low-queue-filter",
    "lora-affinity-filter",
    "least-queue-filter",
    "least-kv-cache-filter",
  ].map((type) => refused(type, removedFilter)),
  refused(
    "file-discovery",
    "the picker reads its endpoints from the pool, or from the file of --file-source",
  ),
  ...["multicluster-file-discovery", "multicluster-session-affinity-filter"].map((type) =>
    refused(type, multiCluster),
  ),
  refused(
    "sglanghttp-parser",
    "SGLang's own /generate is not read: passthrough-parser passes it on unread",
  ),
  refused("vllmgrpc-parser", "engines are asked over HTTP only: use vllmhttp-parser"),
  refused("vertexai-parser", "Vertex AI's paths are not read: use openai-parser"),
];
