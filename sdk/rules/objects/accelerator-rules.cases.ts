import type { RuleCases } from "./edited-stack.fixture.ts";
import {
  decode,
  embedder,
  gpu,
  leader,
  leaderEngine,
  server,
  template,
  worker,
  workerEngine,
} from "./places.fixture.ts";

const onL40s = { "nvidia.com/gpu.product": "NVIDIA-L40S" };
const requiring = (...values: string[]) => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [
        { matchExpressions: [{ key: "nvidia.com/gpu.product", operator: "In", values }] },
      ],
    },
  },
});
const selectsTwo = (titles: string) =>
  `Deployment ml/embedder: spec.template.spec.nodeSelector: and affinity select ${titles}, which no node has together; allowed: one accelerator. Correct one of the labels.`;

export const acceleratorCases: readonly RuleCases[] = [
  {
    rule: "gpu-limits-are-whole",
    allows: {
      "a limit written as a number": [[embedder, `${server} ${gpu}`, 1]],
      "a request equal to the limit": [
        [embedder, `${server} resources requests`, { "nvidia.com/gpu": "1" }],
      ],
      "half a CPU": [[embedder, `${server} resources limits`, { cpu: "500m" }]],
    },
    refuses: {
      "half a GPU": {
        edits: [[embedder, `${server} ${gpu}`, "0.5"]],
        finds: [
          'Deployment ml/embedder: spec.template.spec.containers[0].resources.limits["nvidia.com/gpu"]: is "0.5"; allowed: a whole number of devices. Set it to "1".',
        ],
      },
      "a request without a limit": {
        edits: [[embedder, `${server} resources`, { requests: { "nvidia.com/gpu": "1" } }]],
        finds: [
          'Deployment ml/embedder: spec.template.spec.containers[0].resources.limits["nvidia.com/gpu"]: is missing; allowed: "1", the same as the request. Set the limit to the request, or remove the request.',
        ],
      },
      "a request above the limit": {
        edits: [[embedder, `${server} resources requests`, { "nvidia.com/gpu": "2" }]],
        finds: [
          'Deployment ml/embedder: spec.template.spec.containers[0].resources.limits["nvidia.com/gpu"]: is "1"; allowed: "2", the same as the request. Set the limit to the request, or remove the request.',
        ],
      },
    },
  },
  {
    rule: "one-container-has-the-gpus",
    allows: {
      "a proxy without GPUs next to the engine": [
        [embedder, "spec template spec containers 1", { name: "proxy" }],
      ],
      "an init container without GPUs": [
        [embedder, "spec template spec initContainers", [{ name: "load" }]],
      ],
      "one container with four GPUs": [[embedder, `${server} ${gpu}`, "4"]],
    },
    refuses: {
      "a second container with a GPU": {
        edits: [
          [
            embedder,
            "spec template spec containers 1",
            { name: "b", resources: { limits: { "nvidia.com/gpu": 1 } } },
          ],
        ],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[1].resources: requests accelerators, and so does containers[0]; allowed: accelerators in only one container of a pod. Request them all in the engine's container.",
        ],
      },
      "a second container with a GPU of another maker": {
        edits: [
          [embedder, "spec template spec containers 1", { name: "b" }],
          [embedder, "spec template spec containers 1 resources", { limits: { "amd.com/gpu": 1 } }],
        ],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[1].resources: requests accelerators, and so does containers[0]; allowed: accelerators in only one container of a pod. Request them all in the engine's container.",
        ],
      },
      "a second container with GPUs in a worker pod": {
        edits: [
          [
            decode,
            `${worker} spec containers 1`,
            { name: "b", resources: { limits: { "nvidia.com/gpu": 8 } } },
          ],
        ],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.workerTemplate.spec.containers[1].resources: requests accelerators, and so does containers[0]; allowed: accelerators in only one container of a pod. Request them all in the engine's container.",
        ],
      },
    },
  },
  {
    rule: "pods-of-a-group-have-equal-gpus",
    allows: {
      "a group without a template for its leader": [[decode, leader, undefined]],
      "a group of one pod": [[decode, `${template} size`, 1]],
      "a leader without GPUs that sub-groups exclude": [
        [decode, `${leaderEngine} resources`, undefined],
        [
          decode,
          `${template} subGroupPolicy`,
          { subGroupSize: 1, subGroupPolicyType: "LeaderExcluded" },
        ],
      ],
      "the same number written as a number and as a string": [
        [decode, `${workerEngine} ${gpu}`, 8],
      ],
    },
    refuses: {
      "workers with fewer GPUs than their leader": {
        edits: [[decode, `${workerEngine} ${gpu}`, "4"]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.workerTemplate.spec.containers: request 4 accelerators, but the leader's containers request 8; allowed: the same number in both templates. Change one of the two templates.",
        ],
      },
      "a leader with fewer GPUs than its workers": {
        edits: [[decode, `${leaderEngine} ${gpu}`, "4"]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.workerTemplate.spec.containers: request 8 accelerators, but the leader's containers request 4; allowed: the same number in both templates. Change one of the two templates.",
        ],
      },
      "workers without GPUs": {
        edits: [[decode, `${workerEngine} resources`, undefined]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.workerTemplate.spec.containers: request 0 accelerators, but the leader's containers request 8; allowed: the same number in both templates. Change one of the two templates.",
        ],
      },
    },
  },
  {
    rule: "labels-select-one-accelerator",
    allows: {
      "one label": [[embedder, "spec template spec nodeSelector", onL40s]],
      "two labels of one accelerator": [
        [
          embedder,
          "spec template spec nodeSelector",
          { ...onL40s, "node.kubernetes.io/instance-type": "g6e.12xlarge" },
        ],
      ],
      "the same accelerator in both fields": [
        [embedder, "spec template spec nodeSelector", onL40s],
        [embedder, "spec template spec affinity", requiring("NVIDIA-L40S")],
      ],
      "several accepted accelerators": [
        [embedder, "spec template spec affinity", requiring("NVIDIA-L40S", "NVIDIA-L4")],
      ],
    },
    refuses: {
      "another accelerator in the affinity": {
        edits: [
          [embedder, "spec template spec nodeSelector", onL40s],
          [embedder, "spec template spec affinity", requiring("NVIDIA-L4")],
        ],
        finds: [selectsTwo("L4 and L40S")],
      },
      "another accelerator in the instance type": {
        edits: [
          [
            embedder,
            "spec template spec nodeSelector",
            { ...onL40s, "node.kubernetes.io/instance-type": "g5.xlarge" },
          ],
        ],
        finds: [selectsTwo("A10G and L40S")],
      },
      "labels of two clouds": {
        edits: [
          [
            embedder,
            "spec template spec nodeSelector",
            { ...onL40s, "cloud.google.com/gke-accelerator": "nvidia-tesla-t4" },
          ],
        ],
        finds: [selectsTwo("L40S and T4")],
      },
    },
  },
];
