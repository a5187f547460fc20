import type { Edit, RuleCases } from "./edited-stack.fixture.ts";
import { embedder, server } from "./places.fixture.ts";

const scaled = (query: string, type = "prometheus"): Edit => [
  "HorizontalPodAutoscaler/decode",
  "",
  {
    apiVersion: "keda.sh/v1alpha1",
    kind: "ScaledObject",
    metadata: { name: "embedder", namespace: "ml" },
    spec: {
      scaleTargetRef: { name: "embedder" },
      minReplicaCount: 1,
      triggers: [{ type, metadata: { query, threshold: "5" } }],
    },
  },
];
const prometheusRule = (...rules: object[]): Edit => [
  "ConfigMap/settings",
  "",
  {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "PrometheusRule",
    metadata: { name: "settings", namespace: "ml" },
    spec: { groups: [{ name: "g", rules }] },
  },
];
const runs = (image: string, ...args: string[]): Edit[] => [
  [embedder, `${server} image`, image],
  [embedder, `${server} args`, args],
];
const vllm = runs("vllm/vllm-openai:v0.32.0", "--model", "m");
const sglang = (...options: string[]) =>
  runs("lmsysorg/sglang:v0.5.23", "python3", "-m", "sglang.launch_server", ...options);
const found = (name: string, why: string, use: string) =>
  `ScaledObject ml/embedder: spec.triggers[0].metadata.query: reads ${name}, but ${why}; allowed: ${use}. Change the metric, or the engine's options.`;

export const metricNameCases: readonly RuleCases[] = [
  {
    rule: "queries-name-metrics-of-engines",
    allows: {
      "a metric of the engine": [
        ...vllm,
        scaled('sum(rate(vllm:request_queue_time_seconds_sum{namespace="vllm_prod"}[1m]))'),
      ],
      "an underscore name in another kind of trigger": [
        scaled("vllm_num_requests_waiting", "graphite"),
      ],
      "a name that a rule of the stack records": [
        prometheusRule({ record: "vllm_num_requests_waiting", expr: "vllm:num_requests_waiting" }),
        scaled("sum(vllm_num_requests_waiting)"),
      ],
      "a metric that is not stored": [...vllm, scaled("sum(vllm:nixl_xfer_time_seconds_count)")],
      "a metric of another program": [scaled("sum(vllm_router_queue_size)")],
      "an old name, for an image whose release is not known": [
        ...runs("vllm/vllm-openai:v0.8.5", "--model", "m"),
        scaled("avg(vllm:gpu_cache_usage_perc)"),
      ],
      "metrics of SGLang with its option": [
        ...sglang("--model-path", "m", "--enable-metrics"),
        scaled("sum(sglang:num_queue_reqs)"),
      ],
      "a name inside the value of a label": [
        ...vllm,
        scaled('sum(up{job="vllm_num_requests_waiting"}) # vllm_num_requests_waiting'),
      ],
    },
    refuses: {
      "an underscore for the colon": {
        edits: [scaled('sum(vllm_num_requests_waiting{namespace="llm"})')],
        finds: [
          found(
            "vllm_num_requests_waiting",
            "vLLM publishes it with a colon",
            "vllm:num_requests_waiting",
          ),
        ],
      },
      "an underscore in the name of SGLang's metric": {
        edits: [scaled('max({__name__="sglang_num_queue_reqs"})')],
        finds: [
          found(
            "sglang_num_queue_reqs",
            "SGLang publishes it with a colon",
            "sglang:num_queue_reqs",
          ),
        ],
      },
      "a misspelled metric": {
        edits: [...vllm, scaled("sum(vllm:num_request_waiting)")],
        finds: [
          found(
            "vllm:num_request_waiting",
            "vLLM does not publish it",
            "vllm:num_requests_waiting",
          ),
        ],
      },
      "a metric of another engine by the wrong prefix": {
        edits: [...vllm, scaled("sum(vllm:num_queue_reqs)")],
        finds: [
          found("vllm:num_queue_reqs", "it is a metric of SGLang, not of vLLM", "a metric of vLLM"),
        ],
      },
      "a name that the release no longer has": {
        edits: [...vllm, scaled("avg(vllm:gpu_cache_usage_perc)")],
        finds: [
          found(
            "vllm:gpu_cache_usage_perc",
            "this release of vLLM does not publish it",
            "vllm:kv_cache_usage_perc",
          ),
        ],
      },
      "a metric of an engine that the target does not run": {
        edits: [...vllm, scaled("sum(sglang:num_queue_reqs)")],
        finds: [
          found(
            "sglang:num_queue_reqs",
            "its target runs vLLM, which publishes vllm:*",
            "a metric of vLLM",
          ),
        ],
      },
      "SGLang without its option": {
        edits: [...sglang("--model-path", "m"), scaled("sum(sglang:num_queue_reqs)")],
        finds: [
          found(
            "sglang:num_queue_reqs",
            "SGLang publishes metrics only with --enable-metrics",
            "sglang:num_queue_reqs, with --enable-metrics in the engine's arguments",
          ),
        ],
      },
      "an underscore in an alert": {
        edits: [prometheusRule({ alert: "a", expr: "vllm_num_requests_waiting > 5" })],
        finds: [
          "PrometheusRule ml/settings: spec.groups[0].rules[0].expr: reads vllm_num_requests_waiting, but vLLM publishes it with a colon; allowed: vllm:num_requests_waiting. Change the metric, or the engine's options.",
        ],
      },
    },
  },
];
