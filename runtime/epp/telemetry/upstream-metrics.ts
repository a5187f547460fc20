/** A metric of the upstream picker (llm-d-router, docs/metrics.md), and whether this picker has it. */
export interface UpstreamMetric {
  readonly labels: readonly string[];
  /** Older names of the same metric, each with its labels. */
  readonly older?: Readonly<Record<string, readonly string[]>>;
  /** Reason why this picker does not have it. */
  readonly leftOut?: string;
}

const ofRequest = ["model_name", "target_model_name", "fairness_id", "priority"];
const models = ["model_name", "target_model_name"];
const ofPool = ["name"];
const ofPlugin = ["plugin_name", "plugin_type"];
const ofPrediction = [...ofPlugin, ...models];
const ofQueue = ["fairness_id", "priority", "inference_pool", ...models];

const noPrediction = "No plugin of this picker predicts latencies.";
const noRevocations =
  "A request that is evicted for one of higher priority counts as error ResourceExhausted of its own priority.";
const noEncoders = "This picker has no index of encoder caches.";
const noPrograms = "This picker has no metrics of program-aware-fairness.";
const noSets = "This picker does not support DisaggregatedSets.";

/** The metrics of the upstream picker, by name without `llm_d_epp_`. */
export const upstreamMetrics: Readonly<Record<string, UpstreamMetric>> = {
  request_total: {
    labels: ofRequest,
    older: { inference_objective_request_total: [...models, "priority"] },
  },
  request_error_total: {
    labels: [...ofRequest, "error_code"],
    older: { inference_objective_request_error_total: [...models, "error_code"] },
  },
  request_duration_seconds: {
    labels: ofRequest,
    older: { inference_objective_request_duration_seconds: models },
  },
  request_size_bytes: {
    labels: ofRequest,
    older: { inference_objective_request_sizes: models },
  },
  response_size_bytes: {
    labels: ofRequest,
    older: { inference_objective_response_sizes: models },
  },
  request_input_tokens: {
    labels: ofRequest,
    older: { inference_objective_input_tokens: models },
  },
  request_output_tokens: {
    labels: ofRequest,
    older: { inference_objective_output_tokens: models },
  },
  request_cached_tokens: {
    labels: ofRequest,
    older: { inference_objective_prompt_cached_tokens: models },
  },
  request_running: {
    labels: ofRequest,
    older: { inference_objective_running_requests: ["model_name"] },
  },
  request_ntpot_seconds: {
    labels: ofRequest,
    older: { inference_objective_normalized_time_per_output_token_seconds: models },
  },
  request_ttft_seconds: { labels: [...ofRequest, "streaming"] },
  request_streaming_tpot_seconds: { labels: ofRequest },
  request_streaming_itl_seconds: { labels: ofRequest },

  average_kv_cache_utilization: {
    labels: ofPool,
    older: { inference_pool_average_kv_cache_utilization: ofPool },
  },
  average_queue_size: {
    labels: ofPool,
    older: { inference_pool_average_queue_size: ofPool },
  },
  average_running_requests: {
    labels: ofPool,
    older: { inference_pool_average_running_requests: ofPool },
  },
  std_dev_kv_cache_utilization: { labels: ofPool },
  std_dev_queue_size: { labels: ofPool },
  std_dev_running_requests: { labels: ofPool },
  ready_endpoints: { labels: ofPool, older: { inference_pool_ready_pods: ofPool } },
  per_endpoint_queue_size: {
    labels: ["name", "model_server_endpoint"],
    older: { inference_pool_per_pod_queue_size: ["name", "model_server_pod"] },
  },

  scheduler_e2e_duration_seconds: {
    labels: [],
    older: { inference_extension_scheduler_e2e_duration_seconds: [] },
  },
  scheduler_attempts_total: {
    labels: ["status", "target_model_name", "endpoint_name", "namespace", "port"],
    older: {
      inference_extension_scheduler_attempts_total: [
        ...["status", "target_model_name", "pod_name", "namespace", "port"],
      ],
    },
  },
  request_processing_duration_seconds: { labels: [] },
  response_processing_duration_seconds: { labels: [] },
  plugin_duration_seconds: {
    labels: ["extension_point", "plugin_type", "plugin_name"],
    older: {
      inference_extension_plugin_duration_seconds: [
        ...["extension_point", "plugin_type", "plugin_name"],
      ],
    },
  },
  info: {
    labels: ["commit", "build_ref"],
    older: { inference_extension_info: ["commit", "build_ref"] },
  },
  model_rewrite_decisions_total: {
    labels: ["model_rewrite_name", "model_name", "target_model"],
    older: {
      inference_extension_model_rewrite_decisions_total: [
        ...["model_rewrite_name", "model_name", "target_model"],
      ],
    },
  },
  datalayer_poll_errors_total: {
    labels: ["source_type"],
    older: { llm_d_inference_scheduler_datalayer_poll_errors_total: ["source_type"] },
  },
  datalayer_extract_errors_total: {
    labels: ["source_type", "extractor_type"],
    older: {
      llm_d_inference_scheduler_datalayer_extract_errors_total: ["source_type", "extractor_type"],
    },
  },
  prefix_indexer_size: {
    labels: ofPlugin,
    older: { inference_extension_prefix_indexer_size: [] },
  },
  prefix_indexer_hit_ratio: {
    labels: ofPlugin,
    older: { inference_extension_prefix_indexer_hit_ratio: [] },
  },
  prefix_indexer_hit_bytes: {
    labels: ofPlugin,
    older: { inference_extension_prefix_indexer_hit_bytes: [] },
  },
  disagg_decision_total: {
    labels: [...ofPlugin, "model_name", "decision_type"],
    older: { llm_d_inference_scheduler_disagg_decision_total: ["model_name", "decision_type"] },
  },
  pd_decision_total: {
    labels: [...ofPlugin, "model_name", "decision_type"],
    leftOut: "Deprecated upstream; disagg_decision_total includes pd-profile-handler.",
  },

  plugin_data_scope_violations_total: {
    labels: ["extension_point", "plugin_type", "plugin_name", "access"],
    leftOut: "Plugins of this picker declare no data keys.",
  },
  encoder_cache_queries_total: { labels: [...ofPlugin, "modality"], leftOut: noEncoders },
  encoder_cache_hits_total: { labels: [...ofPlugin, "pod", "modality"], leftOut: noEncoders },
  encoder_cache_hit_ratio: { labels: ofPlugin, leftOut: noEncoders },
  program_aware_jains_fairness_index: { labels: [], leftOut: noPrograms },
  program_aware_avg_wait_time_milliseconds: { labels: ["program_id"], leftOut: noPrograms },
  program_aware_attained_service_tokens: { labels: ["program_id"], leftOut: noPrograms },
  inference_request_metric: { labels: [...ofPrediction, "type"], leftOut: noPrediction },
  request_predicted_ttft_seconds: { labels: ofPrediction, leftOut: noPrediction },
  request_ttft_prediction_duration_seconds: { labels: ofPrediction, leftOut: noPrediction },
  request_predicted_tpot_seconds: { labels: ofPrediction, leftOut: noPrediction },
  request_tpot_prediction_duration_seconds: { labels: ofPrediction, leftOut: noPrediction },
  request_slo_violation_total: { labels: [...ofPrediction, "type"], leftOut: noPrediction },
  disaggregatedset_strict_header_no_match_total: {
    labels: [...ofPlugin, "selector"],
    leftOut: noSets,
  },
  disaggregatedset_revision_gating_share: {
    labels: [...ofPlugin, "mode", "revision"],
    leftOut: noSets,
  },
  flow_control_request_queue_duration_seconds: flowControl("request_queue_duration_seconds", [
    ...ofQueue,
    "outcome",
  ]),
  flow_control_dispatch_cycle_duration_seconds: flowControl("dispatch_cycle_duration_seconds", []),
  flow_control_request_enqueue_duration_seconds: flowControl("request_enqueue_duration_seconds", [
    ...["fairness_id", "priority", "outcome"],
  ]),
  flow_control_queue_size: flowControl("queue_size", ofQueue),
  flow_control_queue_bytes: flowControl("queue_bytes", ofQueue),
  flow_control_pool_saturation: flowControl("pool_saturation", ["inference_pool", "stage"]),
  flow_control_stale_endpoints: { labels: ["detector"] },
  flow_control_capacity_utilization_requests: { labels: ["priority", "inference_pool"] },
  flow_control_capacity_utilization_bytes: { labels: ["priority", "inference_pool"] },
  flow_control_global_capacity_utilization_requests: { labels: ["inference_pool"] },
  flow_control_global_capacity_utilization_bytes: { labels: ["inference_pool"] },
  flow_control_requests_total: { labels: ["outcome", "priority", "inference_pool"] },
  flow_control_revocations_issued_total: {
    labels: ["priority", "inference_pool"],
    leftOut: noRevocations,
  },
  flow_control_revocations_total: { labels: ["outcome", "inference_pool"], leftOut: noRevocations },
  flow_control_reclaim_target: { labels: ["inference_pool"], leftOut: noRevocations },
  flow_control_pending_reclaim: { labels: ["inference_pool"], leftOut: noRevocations },
  flow_control_revocation_confirmation_seconds: {
    labels: ["inference_pool"],
    leftOut: noRevocations,
  },
};

/** A metric of flow control with its older name and the same labels. */
function flowControl(name: string, labels: readonly string[]): UpstreamMetric {
  return { labels, older: { [`inference_extension_flow_control_${name}`]: labels } };
}
