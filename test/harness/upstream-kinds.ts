import type { KindDefinition } from "../../sdk/crds/custom-resource-definition.ts";
import { InferencePoolSpec, InferencePoolStatus } from "../../sdk/kubernetes/inference-pool.ts";
import {
  LeaderWorkerSetSpec,
  LeaderWorkerSetStatus,
} from "../../sdk/kubernetes/leader-worker-set.ts";
import { PodGroupSpec, PodGroupStatus } from "../../sdk/kubernetes/pod-group.ts";
import { QueueSpec, QueueStatus } from "../../sdk/kubernetes/queue.ts";

/**
 * Kinds of other projects that a plan emits and whose CRDs are in no Go module that is read here.
 * What is generated from them stands in for the upstream CRDs on test clusters.
 */
export const upstreamKinds: readonly KindDefinition[] = [
  {
    group: "leaderworkerset.x-k8s.io",
    version: "v1",
    kind: "LeaderWorkerSet",
    plural: "leaderworkersets",
    scope: "Namespaced",
    description: "Groups of pods, each a leader and its workers, that start and restart as one.",
    spec: LeaderWorkerSetSpec,
    status: LeaderWorkerSetStatus,
    specRequired: false,
    statusSubresource: true,
    scale: {
      specReplicasPath: ".spec.replicas",
      statusReplicasPath: ".status.replicas",
      labelSelectorPath: ".status.hpaPodSelector",
    },
    shortNames: ["lws"],
    printerColumns: [
      { name: "Ready", type: "integer", jsonPath: ".status.readyReplicas" },
      { name: "Desired", type: "integer", jsonPath: ".spec.replicas" },
      { name: "Up-to-date", type: "integer", jsonPath: ".status.updatedReplicas" },
      { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    ],
  },
  {
    group: "scheduling.volcano.sh",
    version: "v1beta1",
    kind: "PodGroup",
    plural: "podgroups",
    scope: "Namespaced",
    description: "Pods that Volcano's scheduler starts together.",
    spec: PodGroupSpec,
    status: PodGroupStatus,
    specRequired: false,
    statusSubresource: false,
    shortNames: ["pg", "podgroup-v1beta1"],
    printerColumns: [
      { name: "STATUS", type: "string", jsonPath: ".status.phase" },
      { name: "minMember", type: "integer", jsonPath: ".spec.minMember" },
      { name: "RUNNINGS", type: "integer", jsonPath: ".status.running" },
      { name: "AGE", type: "date", jsonPath: ".metadata.creationTimestamp" },
      { name: "QUEUE", type: "string", jsonPath: ".spec.queue", priority: 1 },
    ],
  },
  {
    group: "scheduling.volcano.sh",
    version: "v1beta1",
    kind: "Queue",
    plural: "queues",
    scope: "Cluster",
    description: "A share of the cluster that PodGroups draw from.",
    spec: QueueSpec,
    status: QueueStatus,
    specRequired: false,
    statusSubresource: true,
    shortNames: ["q", "queue-v1beta1"],
    printerColumns: [{ name: "PARENT", type: "string", jsonPath: ".spec.parent" }],
  },
  {
    group: "inference.networking.k8s.io",
    version: "v1",
    kind: "InferencePool",
    plural: "inferencepools",
    scope: "Namespaced",
    description: "Model server pods that requests reach through one endpoint picker.",
    spec: InferencePoolSpec,
    status: InferencePoolStatus,
    statusSubresource: true,
    shortNames: ["infpool"],
  },
];
