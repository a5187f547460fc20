import {
  firstTokenSeconds,
  queueSeconds,
  requestProcessingSeconds,
  streamedSecondsPerToken,
} from "./bounds.ts";

/** A metric family: the picker exposes it, and rules and dashboards read it. */
export interface MetricFamily {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  /** Names of the labels, in the order of their values. */
  readonly labels: readonly string[];
  /** Upper bounds of a histogram's buckets, ascending, without +Inf. */
  readonly bounds?: readonly number[];
}

const ofRequest = ["model_name", "target_model_name", "fairness_id", "priority"] as const;
const ofQueue = [
  "fairness_id",
  "priority",
  "inference_pool",
  "model_name",
  "target_model_name",
] as const;
const ofPool = ["name"] as const;

/**
 * Families of the picker that planned rules and dashboards read. The picker takes names, labels and bounds from this table, so a
 * renamed metric or label does not compile until every expression has the new name.
 */
export const metrics = {
  requests: {
    name: "llm_d_epp_request_total",
    type: "counter",
    help: "Requests that were routed to a model server.",
    labels: ofRequest,
  },
  requestErrors: {
    name: "llm_d_epp_request_error_total",
    type: "counter",
    help: "Requests that were rejected or got an error.",
    labels: [...ofRequest, "error_code"],
  },
  firstToken: {
    name: "llm_d_epp_request_ttft_seconds",
    type: "histogram",
    help: "Seconds to the first byte of the response's body.",
    labels: [...ofRequest, "streaming"],
    bounds: firstTokenSeconds,
  },
  perOutputToken: {
    name: "llm_d_epp_request_streaming_tpot_seconds",
    type: "histogram",
    help: "Average seconds between two tokens of a streamed response.",
    labels: ofRequest,
    bounds: streamedSecondsPerToken,
  },
  inputTokens: {
    name: "llm_d_epp_request_input_tokens",
    type: "histogram",
    help: "Tokens of prompts, as model servers count them.",
    labels: ofRequest,
  },
  outputTokens: {
    name: "llm_d_epp_request_output_tokens",
    type: "histogram",
    help: "Tokens of responses, as model servers count them.",
    labels: ofRequest,
  },
  cachedTokens: {
    name: "llm_d_epp_request_cached_tokens",
    type: "histogram",
    help: "Tokens of prompts that model servers had in their cache, as they count them.",
    labels: ofRequest,
  },
  attempts: {
    name: "llm_d_epp_scheduler_attempts_total",
    type: "counter",
    help: "Scheduled requests, by result.",
    labels: ["status", "target_model_name", "endpoint_name", "namespace", "port"],
  },
  inflightRequests: {
    name: "llm_d_epp_inflight_requests",
    type: "gauge",
    help: "In-flight requests that this picker sent to an endpoint.",
    labels: ["endpoint_name", "namespace", "producer_name", "fairness_id", "priority"],
  },
  promptTokens: {
    name: "llm_d_epp_prompt_tokens_total",
    type: "counter",
    help: "Tokens of the prompts of scheduled requests, as the picker estimates them.",
    labels: [],
  },
  chosenCachedTokens: {
    name: "llm_d_epp_prompt_tokens_cached_on_chosen_total",
    type: "counter",
    help: "Prompt tokens that the chosen endpoint has cached, according to the prefix index.",
    labels: [],
  },
  bestCachedTokens: {
    name: "llm_d_epp_prompt_tokens_cached_on_best_total",
    type: "counter",
    help: "Prompt tokens that the endpoint with the longest cached prefix has cached, according to the prefix index.",
    labels: [],
  },
  readyEndpoints: {
    name: "llm_d_epp_ready_endpoints",
    type: "gauge",
    help: "Endpoints with fresh metrics that accept connections.",
    labels: ofPool,
  },
  kvCacheUtilization: {
    name: "llm_d_epp_average_kv_cache_utilization",
    type: "gauge",
    help: "Mean of share of the KV cache in use over the pool.",
    labels: ofPool,
  },
  poolSaturation: {
    name: "llm_d_epp_flow_control_pool_saturation",
    type: "gauge",
    help: "Saturation of the pool; 1 is full.",
    labels: ["inference_pool", "stage"],
  },
  queueSize: {
    name: "llm_d_epp_flow_control_queue_size",
    type: "gauge",
    help: "Queued requests.",
    labels: ofQueue,
  },
  queueDuration: {
    name: "llm_d_epp_flow_control_request_queue_duration_seconds",
    type: "histogram",
    help: "Seconds from a request's arrival to its outcome in flow control.",
    labels: [...ofQueue, "outcome"],
    bounds: queueSeconds,
  },
  waitedSeconds: {
    name: "llm_d_epp_flow_control_waiting_seconds_total",
    type: "counter",
    help: "Seconds that requests were queued, all requests together, by the reason for the wait.",
    labels: ["inference_pool", "reason"],
  },
  flowOutcomes: {
    name: "llm_d_epp_flow_control_requests_total",
    type: "counter",
    help: "Requests by their outcome in flow control.",
    labels: ["outcome", "priority", "inference_pool"],
  },
  desiredEndpoints: {
    name: "llm_d_epp_flow_control_desired_replicas",
    type: "gauge",
    help: "Model servers needed to run all queued and running requests.",
    labels: ["inference_pool"],
  },
  desiredReplicas: {
    name: "llm_d_epp_desired_replicas",
    type: "gauge",
    help: "Replicas of a role that the queued and running requests need, in whole units.",
    labels: ["inference_pool", "role"],
  },
  ejectedEndpoints: {
    name: "llm_d_epp_endpoint_ejected",
    type: "gauge",
    help: "1 for an endpoint that is ejected for a model because its responses failed; model * is every model.",
    labels: ["endpoint", "model_name"],
  },
  excludedPairs: {
    name: "llm_d_epp_pd_excluded_pairs",
    type: "gauge",
    help: "Prefiller-decoder pairs that are excluded because prefills in them failed.",
    labels: [],
  },
  failingPods: {
    name: "llm_d_epp_pd_pod_failing_seconds",
    type: "gauge",
    help: "Seconds between the first and the last failed prefill that the pod caused; 0 while it works. A pod without prefills has no series.",
    labels: ["namespace", "pod"],
  },
  pollErrors: {
    name: "llm_d_epp_datalayer_poll_errors_total",
    type: "counter",
    help: "Failed reads of model servers' metrics.",
    labels: ["source_type"],
  },
  requestProcessing: {
    name: "llm_d_epp_request_processing_duration_seconds",
    type: "histogram",
    help: "Seconds of the picker's work on a request.",
    labels: [],
    bounds: requestProcessingSeconds,
  },
} as const satisfies Record<string, MetricFamily>;

/** Series that Prometheus writes for each scraped program: 1 if it read the page, else 0. */
export const scraped = {
  name: "up",
  type: "gauge",
  help: "1 if Prometheus read the program's page.",
  labels: [],
} as const satisfies MetricFamily;

/** `error_code` of a response with an error status from the model server. */
export const modelServerError = "ModelServerError";
