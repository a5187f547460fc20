import type { Edit, RuleCases } from "./edited-stack.fixture.ts";
import { decode, embedder, gang, leader, worker } from "./places.fixture.ts";

const budget = (fields: object): Edit => [
  "PodDisruptionBudget/decode",
  "spec",
  { ...fields, selector: { matchLabels: { app: "embedder" } } },
];
const blocked = (least: number | string, pods: number) =>
  `PodDisruptionBudget ml/decode: spec.minAvailable: is ${least}, and the budget selects ${pods} ${pods === 1 ? "pod" : "pods"}; allowed: at most ${pods - 1}, or maxUnavailable 1. Set maxUnavailable to 1 instead; ignore this if you stop the pods by hand before a drain.`;

export const scalingCases: readonly RuleCases[] = [
  {
    rule: "autoscaler-keeps-the-gang-minimum",
    allows: {
      "an autoscaler without a minimum, which is 1": [
        ["HorizontalPodAutoscaler/decode", "spec minReplicas", undefined],
      ],
      "an autoscaler of another target": [
        ["HorizontalPodAutoscaler/decode", "spec scaleTargetRef name", "other"],
      ],
      "an autoscaler with the minimum of the gang": [
        [decode, "spec replicas", 2],
        ["HorizontalPodAutoscaler/decode", "spec minReplicas", 2],
        [gang, "spec subGroupPolicy 1 minSubGroups", 2],
      ],
    },
    refuses: {
      "an autoscaler that may go to 0": {
        edits: [["HorizontalPodAutoscaler/decode", "spec minReplicas", 0]],
        finds: [
          "HorizontalPodAutoscaler ml/decode: spec.minReplicas: is 0; allowed: at least 1, the gang's minSubGroups. Raise the minimum of the autoscaler.",
        ],
      },
      "a gang's minimum above the autoscaler's minimum": {
        edits: [[gang, "spec subGroupPolicy 1 minSubGroups", 2]],
        finds: [
          "HorizontalPodAutoscaler ml/decode: spec.minReplicas: is 1; allowed: at least 2, the gang's minSubGroups. Raise the minimum of the autoscaler.",
        ],
      },
      "a ScaledObject whose default is 0": {
        edits: [
          [
            "HorizontalPodAutoscaler/decode",
            "",
            {
              apiVersion: "keda.sh/v1alpha1",
              kind: "ScaledObject",
              metadata: { name: "decode", namespace: "ml" },
              spec: { scaleTargetRef: { kind: "LeaderWorkerSet", name: "svc-decode" } },
            },
          ],
        ],
        finds: [
          "ScaledObject ml/decode: spec.minReplicaCount: is 0; allowed: at least 1, the gang's minSubGroups. Raise the minimum of the autoscaler.",
        ],
      },
    },
  },
  {
    rule: "autoscaler-scales-a-whole-role",
    allows: {
      "an autoscaler with a higher maximum": [
        ["HorizontalPodAutoscaler/decode", "spec maxReplicas", 9],
      ],
      "an autoscaler of a Deployment": [
        [
          "HorizontalPodAutoscaler/decode",
          "spec scaleTargetRef",
          { kind: "Deployment", name: "embedder" },
        ],
      ],
      "replicas with an autoscaler of the same service": [
        ["HorizontalPodAutoscaler/decode", "metadata labels", { "fusioninfer.io/service": "svc" }],
        [decode, "metadata labels fusioninfer.io/service", "svc"],
        [decode, "spec replicas", 2],
      ],
      "replicas without an autoscaler": [
        ["HorizontalPodAutoscaler/decode", "", undefined],
        [decode, "spec replicas", 2],
      ],
    },
    refuses: {
      "replicas with an autoscaler": {
        edits: [[decode, "spec replicas", 2]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.replicas: is 2, but an autoscaler sets it too; allowed: no replicas, because the autoscaler sets them. Remove replicas, or add it to ignoreChanges.",
        ],
      },
      "an autoscaler of a set whose manifest sets replicas": {
        edits: [["HorizontalPodAutoscaler/decode", "spec scaleTargetRef name", "svc-prefill"]],
        finds: [
          "LeaderWorkerSet ml/svc-prefill: spec.replicas: is 1, but an autoscaler sets it too; allowed: no replicas, because the autoscaler sets them. Remove replicas, or add it to ignoreChanges.",
        ],
      },
      "an autoscaler of one replica of a role": {
        edits: [[decode, `${leader} metadata labels fusioninfer.io/replica-index`, "0"]],
        finds: [
          "HorizontalPodAutoscaler ml/decode: spec.scaleTargetRef.name: is svc-decode, which is one replica of a role; allowed: a LeaderWorkerSet with all replicas of a role. Set the service's workload to perRole.",
        ],
      },
    },
  },
  {
    rule: "disruption-budget-allows-drains",
    allows: {
      "one unavailable pod": [budget({ maxUnavailable: 1 })],
      "one replica more": [budget({ minAvailable: 1 }), [embedder, "spec replicas", 2]],
      "a half": [budget({ minAvailable: "50%" }), [embedder, "spec replicas", 2]],
      "replicas of an autoscaler": [
        budget({ minAvailable: 1 }),
        [
          "HorizontalPodAutoscaler/decode",
          "spec scaleTargetRef",
          { kind: "Deployment", name: "embedder" },
        ],
      ],
    },
    refuses: {
      "the only replica": {
        edits: [[embedder, "spec replicas", 1], budget({ minAvailable: 1 })],
        finds: [blocked(1, 1)],
      },
      "all replicas": {
        edits: [[embedder, "spec replicas", 3], budget({ minAvailable: "100%" })],
        finds: [blocked("100%", 3)],
      },
      "more than there are": {
        edits: [[embedder, "spec replicas", 2], budget({ minAvailable: 4 })],
        finds: [blocked(4, 2)],
      },
    },
  },
  {
    rule: "disruption-budget-keeps-groups-whole",
    allows: {
      "a budget that allows no disruption": [
        ["PodDisruptionBudget/decode", "spec maxUnavailable", 0],
      ],
      "a budget without a selector": [["PodDisruptionBudget/decode", "spec selector", undefined]],
      "a budget of single pods": [
        [
          "PodDisruptionBudget/decode",
          "spec",
          { maxUnavailable: 1, selector: { matchLabels: { app: "embedder" } } },
        ],
      ],
    },
    refuses: {
      "a budget for several evictions": {
        edits: [["PodDisruptionBudget/decode", "spec maxUnavailable", 2]],
        finds: [
          "PodDisruptionBudget ml/decode: spec.maxUnavailable: is 2 with groups of 2 pods; allowed: maxUnavailable 0 or 1. Set maxUnavailable to 1: the first eviction takes its whole group, and no other group follows.",
        ],
      },
      "a budget of a minimum": {
        edits: [
          [
            "PodDisruptionBudget/decode",
            "spec",
            {
              minAvailable: 2,
              selector: { matchLabels: { "fusioninfer.io/role-name": "decode" } },
            },
          ],
        ],
        finds: [
          "PodDisruptionBudget ml/decode: spec.minAvailable: is 2 with groups of 2 pods; allowed: maxUnavailable 0 or 1. Set maxUnavailable to 1: the first eviction takes its whole group, and no other group follows.",
        ],
      },
      "a budget in percent": {
        edits: [["PodDisruptionBudget/decode", "spec maxUnavailable", "25%"]],
        finds: [
          "PodDisruptionBudget ml/decode: spec.maxUnavailable: is 25% with groups of 2 pods; allowed: maxUnavailable 0 or 1. Set maxUnavailable to 1: the first eviction takes its whole group, and no other group follows.",
        ],
      },
      "a budget that counts leaders only": {
        edits: [[decode, `${worker} metadata labels fusioninfer.io/role-name`, "other"]],
        finds: [
          "PodDisruptionBudget ml/decode: spec.selector: selects only leaders of svc-decode; allowed: leader and workers. Select by a label that both have.",
        ],
      },
    },
  },
  {
    rule: "queue-fits-the-gang",
    parameters: { queues: ["gpu"] },
    allows: {
      "a queue that the configuration names": [["Queue/gpu", "", undefined]],
      "a queue with exactly the minimum": [["Queue/gpu", "spec capability nvidia.com/gpu", "32"]],
      "a gang without a queue": [
        ["Queue/gpu", "", undefined],
        [gang, "spec queue", undefined],
      ],
    },
    refuses: {
      "a queue with a GPU less than the minimum": {
        edits: [["Queue/gpu", "spec capability nvidia.com/gpu", "31"]],
        finds: [
          'Queue gpu: spec.capability["nvidia.com/gpu"]: is 31; allowed: at least 32, the minimum of PodGroup svc. Raise the queue, or lower the gang\'s minimum.',
        ],
      },
      "a queue that does not exist": {
        edits: [[gang, "spec queue", "research"]],
        finds: [
          "PodGroup ml/svc: spec.queue: is research; allowed: default, gpu. Create the queue, or use another one.",
        ],
      },
      "a queue with fewer CPUs than the minimum": {
        edits: [
          ["Queue/gpu", "spec capability", { cpu: "100" }],
          [gang, "spec minResources cpu", "128"],
        ],
        finds: [
          "Queue gpu: spec.capability.cpu: is 100; allowed: at least 128, the minimum of PodGroup svc. Raise the queue, or lower the gang's minimum.",
        ],
      },
    },
  },
  {
    rule: "quota-fits-the-gang",
    allows: {
      "a quota of another namespace": [["ResourceQuota/gpus", "metadata namespace", "other"]],
      "a quota with exactly the minimum": [
        ["ResourceQuota/gpus", "spec hard", { "requests.nvidia.com/gpu": 32 }],
      ],
      "a quota of another resource": [["ResourceQuota/gpus", "spec hard", { pods: "10" }]],
    },
    refuses: {
      "a quota with fewer GPUs than the minimum": {
        edits: [["ResourceQuota/gpus", "spec hard", { "requests.nvidia.com/gpu": 24 }]],
        finds: [
          'ResourceQuota ml/gpus: spec.hard["requests.nvidia.com/gpu"]: is 24; allowed: at least 32, the minimum of PodGroup svc. Raise the quota, or lower the gang\'s minimum.',
        ],
      },
      "a quota with fewer CPUs than the minimum": {
        edits: [
          ["ResourceQuota/gpus", "spec hard", { "requests.cpu": "100" }],
          [gang, "spec minResources", { cpu: "128" }],
        ],
        finds: [
          'ResourceQuota ml/gpus: spec.hard["requests.cpu"]: is 100; allowed: at least 128, the minimum of PodGroup svc. Raise the quota, or lower the gang\'s minimum.',
        ],
      },
      "a quota with fewer GPUs than the pods of the minimum ask for": {
        edits: [
          [gang, "spec minResources", undefined],
          ["ResourceQuota/gpus", "spec hard", { "requests.nvidia.com/gpu": 16 }],
        ],
        finds: [
          'ResourceQuota ml/gpus: spec.hard["requests.nvidia.com/gpu"]: is 16; allowed: at least 32, the minimum of PodGroup svc. Raise the quota, or lower the gang\'s minimum.',
        ],
      },
    },
  },
];
