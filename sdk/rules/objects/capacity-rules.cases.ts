import type { RuleCases } from "./edited-stack.fixture.ts";
import { decode, embedder, gang, gpu, prefill, server } from "./places.fixture.ts";

function aPod(gpus: string) {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "a", namespace: "ml" },
    spec: { containers: [{ name: "a", resources: { limits: { "nvidia.com/gpu": gpus } } }] },
  };
}

export const capacityCases: readonly RuleCases[] = [
  {
    rule: "minimum-fits-the-cluster",
    parameters: { nodes: [8, 8, 8, 8, 1] },
    allows: {
      "more replicas than fit, in a workload that starts with one": [
        [embedder, "spec replicas", 9],
      ],
      "more replicas than fit, beyond the minimum": [[decode, "spec replicas", 2]],
      "a minimum without the prefillers": [
        [gang, "spec subGroupPolicy 0 minSubGroups", 0],
        [gang, "spec minMember", 2],
      ],
    },
    refuses: {
      "pods of two GPUs if only single GPUs are free": {
        edits: [[embedder, `${server} ${gpu}`, "2"]],
        finds: [
          `Deployment ml/embedder: spec: requests 4 accelerators, and its minimum does not fit; allowed: minimums that fit on the nodes at the same time. Add nodes, or lower the minimum.
of 5 nodes with 33      GPUs  Starts
PodGroup ml/svc         32    Full
Deployment ml/embedder  4     Blocked`,
        ],
      },
      "a minimum of two decoders if only one fits": {
        edits: [
          [decode, "spec replicas", 2],
          [gang, "spec subGroupPolicy 1 minSubGroups", 2],
        ],
        finds: [
          `PodGroup ml/svc: spec: requests 48 accelerators, and its minimum does not fit; allowed: minimums that fit on the nodes at the same time. Add nodes, or lower the minimum.
of 5 nodes with 33      GPUs  Starts
PodGroup ml/svc         48    Blocked
Deployment ml/embedder  2     Full`,
        ],
      },
      "a pod whose GPU does not fit": {
        edits: [
          ["ConfigMap/settings", "", { ...aPod("0") }],
          ["Pod/a", "spec containers 0 resources limits nvidia.com/gpu", "1"],
        ],
        finds: [
          `Pod ml/a: spec: requests 1 accelerators, and its minimum does not fit; allowed: minimums that fit on the nodes at the same time. Add nodes, or lower the minimum.
of 5 nodes with 33      GPUs  Starts
PodGroup ml/svc         32    Full
Deployment ml/embedder  2     Partial (1 of 2 pods)
Pod ml/a                1     Blocked`,
        ],
      },
      "pods larger than any node": {
        edits: [
          [gang, "spec subGroupPolicy", undefined],
          [gang, "spec minMember", 3],
          [embedder, `${server} ${gpu}`, "16"],
        ],
        finds: [
          `Deployment ml/embedder: spec: requests 32 accelerators, and its minimum does not fit; allowed: minimums that fit on the nodes at the same time. Add nodes, or lower the minimum.
of 5 nodes with 33      GPUs  Starts
PodGroup ml/svc         32    Full
Deployment ml/embedder  32    Blocked`,
        ],
      },
    },
  },
  {
    rule: "stack-fits-the-cluster",
    // Pods outside the gang are scheduled first, and the default scheduler spreads them over the nodes.
    parameters: { nodes: [8, 8, 8, 8, 8, 8] },
    allows: {
      "a single replica of the other workload": [[embedder, "spec replicas", 1]],
      "another workload without GPUs": [[embedder, `${server} ${gpu}`, undefined]],
      "a stack with only the gang": [[embedder, "", undefined]],
    },
    refuses: {
      "replicas that the default scheduler spreads over nodes of the gang": {
        edits: [[embedder, "spec replicas", 3]],
        finds: [
          `PodGroup ml/svc: spec: can start only 0 of 4 pods; allowed: at most the pods that fit on the nodes. Add nodes, or lower the replicas.
of 6 nodes with 48      GPUs  Starts
PodGroup ml/svc         32    Blocked
Deployment ml/embedder  3     Full`,
        ],
      },
      "a second decoder for which there are no nodes": {
        edits: [[decode, "spec replicas", 2]],
        finds: [
          `PodGroup ml/svc: spec: can start only 4 of 6 pods; allowed: at most the pods that fit on the nodes. Add nodes, or lower the replicas.
of 6 nodes with 48      GPUs  Starts
PodGroup ml/svc         48    Partial (4 of 6 pods)
Deployment ml/embedder  2     Full`,
        ],
      },
      "a second prefiller in a gang that starts with one pod": {
        edits: [
          [gang, "spec subGroupPolicy", undefined],
          [gang, "spec minMember", 1],
          [prefill, "spec replicas", 2],
        ],
        finds: [
          `PodGroup ml/svc: spec: can start only 4 of 6 pods; allowed: at most the pods that fit on the nodes. Add nodes, or lower the replicas.
of 6 nodes with 48      GPUs  Starts
PodGroup ml/svc         48    Partial (4 of 6 pods)
Deployment ml/embedder  2     Full`,
        ],
      },
    },
  },
];
