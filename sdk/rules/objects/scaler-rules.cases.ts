import type { Edit, RuleCases } from "./edited-stack.fixture.ts";

const scaler = "HorizontalPodAutoscaler/decode";
const scaled = (spec: object): Edit => [
  scaler,
  "",
  {
    apiVersion: "keda.sh/v1alpha1",
    kind: "ScaledObject",
    metadata: { name: "decode", namespace: "ml" },
    spec: { scaleTargetRef: { kind: "LeaderWorkerSet", name: "svc-decode" }, ...spec },
  },
];
const prometheus = (query: string) => ({ type: "prometheus", metadata: { query, threshold: "5" } });
const second = (kind: string, name: string, fields: object = {}): Edit => [
  "ConfigMap/settings",
  "",
  {
    apiVersion: kind === "ScaledObject" ? "keda.sh/v1alpha1" : "autoscaling/v2",
    kind,
    metadata: { name: "settings", namespace: "ml", ...fields },
    spec: { scaleTargetRef: { kind: "LeaderWorkerSet", name }, minReplicaCount: 1, minReplicas: 1 },
  },
];
const twice = (kind: string) =>
  `${kind} ml/settings: spec.scaleTargetRef.name: is svc-decode, which HorizontalPodAutoscaler decode scales too; allowed: one autoscaler for each workload. Put the triggers of both into one autoscaler, and delete the other one.`;
const ofEngine = prometheus('sum(vllm:num_requests_waiting{app="qwen"})');
const metric = prometheus("sum(llm_d_epp_flow_control_queue_size)");
const fallback = { failureThreshold: 3, replicas: 2 };
const idle = (given: string, fix = "Set minReplicaCount to 1") =>
  `ScaledObject ml/decode: spec.fallback: is set, but starts nothing from 0 replicas (${given}); allowed: a fallback with minReplicaCount 1 or more, and without idleReplicaCount 0. ${fix}, or remove fallback.`;

const resource = (name: string) => ({ type: "Resource", resource: { name } });
const byResource = (kind: string, field: string, given: string) =>
  `${kind} ml/decode: spec.${field}: scale svc-decode by ${given} alone; allowed: a metric of requests, such as vllm:num_requests_waiting. Add a metric of requests.`;

export const scalerCases: readonly RuleCases[] = [
  {
    rule: "autoscaler-target-is-served",
    allows: {
      "a target without a version": [[scaler, "spec scaleTargetRef apiVersion", undefined]],
      "a target of another project": [
        [
          scaler,
          "spec scaleTargetRef",
          { apiVersion: "example.com/v1alpha1", kind: "Server", name: "s" },
        ],
      ],
      "a Deployment": [
        [scaler, "spec scaleTargetRef", { apiVersion: "apps/v1", kind: "Deployment", name: "d" }],
      ],
    },
    refuses: {
      "a version of a Deployment that is not served": {
        edits: [
          [
            scaler,
            "spec scaleTargetRef",
            { apiVersion: "apps/v1beta1", kind: "Deployment", name: "d" },
          ],
        ],
        finds: [
          "HorizontalPodAutoscaler ml/decode: spec.scaleTargetRef.apiVersion: is apps/v1beta1; allowed: apps/v1. Set apiVersion to apps/v1.",
        ],
      },
      "a ScaledObject with a version that no CRD serves": {
        edits: [
          scaled({
            minReplicaCount: 1,
            scaleTargetRef: {
              apiVersion: "leaderworkerset.x-k8s.io/v2",
              kind: "LeaderWorkerSet",
              name: "svc-decode",
            },
          }),
        ],
        finds: [
          "ScaledObject ml/decode: spec.scaleTargetRef.apiVersion: is leaderworkerset.x-k8s.io/v2; allowed: leaderworkerset.x-k8s.io/v1. Set apiVersion to leaderworkerset.x-k8s.io/v1.",
        ],
      },
      "a version that no CRD serves": {
        edits: [[scaler, "spec scaleTargetRef apiVersion", "leaderworkerset.x-k8s.io/v1alpha1"]],
        finds: [
          "HorizontalPodAutoscaler ml/decode: spec.scaleTargetRef.apiVersion: is leaderworkerset.x-k8s.io/v1alpha1; allowed: leaderworkerset.x-k8s.io/v1. Set apiVersion to leaderworkerset.x-k8s.io/v1.",
        ],
      },
    },
  },
  {
    rule: "one-autoscaler-scales-a-target",
    allows: {
      "autoscalers of two targets": [second("ScaledObject", "svc-prefill")],
      "autoscalers in two namespaces": [
        second("ScaledObject", "svc-decode", { namespace: "other" }),
      ],
      "one autoscaler of a renamed target": [[scaler, "spec scaleTargetRef name", "other"]],
    },
    refuses: {
      "a ScaledObject besides a HorizontalPodAutoscaler": {
        edits: [second("ScaledObject", "svc-decode")],
        finds: [twice("ScaledObject")],
      },
      "two HorizontalPodAutoscalers": {
        edits: [second("HorizontalPodAutoscaler", "svc-decode")],
        finds: [twice("HorizontalPodAutoscaler")],
      },
      "an autoscaler whose target is renamed to a scaled one": {
        edits: [
          second("ScaledObject", "svc-prefill"),
          ["ScaledObject/settings", "spec scaleTargetRef name", "svc-decode"],
        ],
        finds: [twice("ScaledObject")],
      },
    },
  },
  {
    rule: "zero-replicas-have-a-signal",
    allows: {
      "a minimum of one": [scaled({ minReplicaCount: 1, triggers: [ofEngine] })],
      "a further trigger": [
        scaled({
          minReplicaCount: 0,
          triggers: [ofEngine, prometheus("sum(llm_d_epp_flow_control_queue_size)")],
        }),
      ],
      "a query with a default": [
        scaled({
          minReplicaCount: 0,
          triggers: [prometheus("sum(vllm:num_requests_waiting) or vector(1)")],
        }),
      ],
      "another kind of trigger": [
        scaled({ minReplicaCount: 0, triggers: [{ type: "cron", metadata: {} }] }),
      ],
      "no triggers": [scaled({ minReplicaCount: 0 })],
    },
    refuses: {
      "no minimum, by the engines' metric": {
        edits: [scaled({ triggers: [ofEngine] })],
        finds: [
          "ScaledObject ml/decode: spec.minReplicaCount: is missing, which is 0, but only the engines themselves publish the metrics of its triggers; allowed: at least 1, or a trigger that has a value without engines. Set minReplicaCount to 1, or add a trigger on the picker's queue.",
        ],
      },
      "zero by metrics of two engines": {
        edits: [
          scaled({
            minReplicaCount: 0,
            triggers: [
              prometheus("avg(vllm:kv_cache_usage_perc)"),
              prometheus("sglang:num_queue_reqs"),
            ],
          }),
        ],
        finds: [
          "ScaledObject ml/decode: spec.minReplicaCount: is 0, but only the engines themselves publish the metrics of its triggers; allowed: at least 1, or a trigger that has a value without engines. Set minReplicaCount to 1, or add a trigger on the picker's queue.",
        ],
      },
      "zero by the engines' metric": {
        edits: [scaled({ minReplicaCount: 0, triggers: [ofEngine] })],
        finds: [
          "ScaledObject ml/decode: spec.minReplicaCount: is 0, but only the engines themselves publish the metrics of its triggers; allowed: at least 1, or a trigger that has a value without engines. Set minReplicaCount to 1, or add a trigger on the picker's queue.",
        ],
      },
    },
  },
  {
    rule: "fallback-has-replicas",
    allows: {
      "no fallback": [scaled({ minReplicaCount: 0, triggers: [metric] })],
      "a minimum of one": [scaled({ minReplicaCount: 1, fallback, triggers: [metric] })],
      "a minimum of three": [scaled({ minReplicaCount: 3, fallback, triggers: [metric] })],
    },
    refuses: {
      "a minimum of zero": {
        edits: [scaled({ minReplicaCount: 0, fallback, triggers: [metric] })],
        finds: [idle("minReplicaCount is 0")],
      },
      "no minimum": {
        edits: [scaled({ fallback, triggers: [metric] })],
        finds: [idle("minReplicaCount is missing, which is 0")],
      },
      "no replicas while idle": {
        edits: [
          scaled({ minReplicaCount: 2, idleReplicaCount: 0, fallback, triggers: [metric, metric] }),
        ],
        finds: [idle("idleReplicaCount is 0", "Remove idleReplicaCount")],
      },
    },
  },
  {
    rule: "engines-scale-by-their-load",
    allows: {
      "a metric of requests": [
        [scaler, "spec metrics", [{ type: "Pods", pods: { metric: { name: "waiting" } } }]],
      ],
      "CPU next to a metric of requests": [scaled({ triggers: [{ type: "cpu" }, metric] })],
      "pods without accelerators": [
        [scaler, "spec metrics", [resource("cpu")]],
        [scaler, "spec scaleTargetRef", { kind: "Deployment", name: "frontend" }],
      ],
    },
    refuses: {
      CPU: {
        edits: [[scaler, "spec metrics", [resource("cpu")]]],
        finds: [byResource("HorizontalPodAutoscaler", "metrics", "cpu")],
      },
      "CPU and memory": {
        edits: [[scaler, "spec metrics", [resource("cpu"), resource("memory")]]],
        finds: [byResource("HorizontalPodAutoscaler", "metrics", "cpu and memory")],
      },
      "CPU by KEDA": {
        edits: [scaled({ minReplicaCount: 1, triggers: [{ type: "cpu" }] })],
        finds: [byResource("ScaledObject", "triggers", "cpu")],
      },
    },
  },
];
