/**
 * Upstream's plugin types that this picker does not have: llm-d-router to 0.11, llm-d-inference-scheduler from 0.2,
 * gateway-api-inference-extension from 0.3.
 */

/** A type without which requests are served, but less well. */
export interface LostType {
  readonly type: string;
  /** Effect of its omission. */
  readonly loses: string;
}

/** A type without which requests would be sent to endpoints that must not receive them. */
export interface RefusedType {
  readonly type: string;
  /** Reason for its refusal, and what to use instead. */
  readonly why: string;
}

const lost = (type: string, loses: string): LostType => ({ type, loses });
const refused = (type: string, why: string): RefusedType => ({ type, why });

const noPredictions = "no latency is predicted; prefill-cost-scorer weighs the expected wait";
const noPictures = "requests do not prefer pods that have already encoded their images";
const noGpuMetrics = "the picker does not read GPU metrics (DCGM)";
const noObservedLatency = "clusters are not ranked by observed latency";

/** Scorers, and plugins that only feed scorers or report events. */
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
  ].map((type) => lost(type, "clusters are not scored; imported pools select the cluster")),
  lost("p2p-source-producer", "pods do not fetch a cached prefix from another pod"),
  lost(
    "probabilistic-admitter",
    "sheddable requests are refused only when the pool is full, and not at random before that",
  ),
  lost(
    "latency-slo-admitter",
    "sheddable requests are refused only when the pool is full, and not by predicted latency",
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
    "the picker does not know attributes of endpoints: use utilization-filter, which reads requests and KV cache",
  ),
  refused(
    "disaggregatedset-rollout-screener",
    "the picker does not distinguish revisions of a DisaggregatedSet: use label-selector-filter",
  ),
  refused(
    "thunder-agent",
    "the picker does not admit programs by their memory: use concurrency-detector and program-aware-fairness",
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
    "the picker does not read SGLang's /generate: use passthrough-parser, which forwards it unread",
  ),
  refused("vllmgrpc-parser", "the picker calls engines over HTTP only: use vllmhttp-parser"),
  refused("vertexai-parser", "the picker does not read Vertex AI's paths: use openai-parser"),
];
