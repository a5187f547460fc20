import { describe, expect, it } from "vitest";
import { labelsOfNodesWith } from "../engines/accelerators/node-labels.ts";
import type { ClusterNode } from "./cluster-node.ts";
import { type NodePool, nodeChoice } from "./node-choice.ts";
import type { PlacedSpec } from "./node-fit.ts";

const product = "nvidia.com/gpu.product";

const node = (name: string, labels: Record<string, string>, more: object = {}): ClusterNode => ({
  metadata: { name, labels },
  status: {
    allocatable: { "nvidia.com/gpu": "8", cpu: "96", memory: "1000Gi" },
    conditions: [{ type: "Ready", status: "True" }],
  },
  ...more,
});

const podFor = (accelerator: "l40s" | "h100-sxm-3g.40gb"): PlacedSpec => ({
  containers: [{ name: "vllm", resources: { limits: { "nvidia.com/gpu": "2" } } }] as never,
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: labelsOfNodesWith(accelerator).map((labels) => ({
          matchExpressions: labels.map(({ key, values }) => ({ key, operator: "In", values })),
        })),
      },
    },
  },
});
const l40s = podFor("l40s");
const pool = (requirements: NodePool["requirements"], labels = {}): NodePool => ({
  name: "gpu",
  labels,
  requirements,
});

describe("nodes of a pod", () => {
  it("nodes of the accelerator fit, whichever component labels them", () => {
    const nodes = [
      node("a", { [product]: "NVIDIA-L40S" }),
      node("b", { "node.kubernetes.io/instance-type": "g6e.12xlarge" }),
      node("c", { [product]: "Tesla-T4" }),
    ];
    expect(nodeChoice(l40s, nodes)).toMatchObject({
      selected: ["l40s"],
      fitting: ["a", "b"],
      shortage: undefined,
    });
  });

  it.each<[what: string, nodes: ClusterNode[], pools: NodePool[], text: string]>([
    [
      "no labels",
      [node("a", { "kubernetes.io/os": "linux" })],
      [],
      "no node has a label that names its accelerator, so pods for L40S stay Pending. Install the maker's feature discovery, or label the nodes: kubectl label node NODE nvidia.com/gpu.product=NVIDIA-L40S. Otherwise set nodes.selector",
    ],
    ["no nodes", [], [], "no node has a label that names its accelerator"],
    [
      "another accelerator",
      [node("a", { [product]: "Tesla-T4" }), node("b", { [product]: "Tesla-T4" })],
      [],
      "no node has a label of L40S; there are 2 with T4. An autoscaled node pool that has no node now may still add one.",
    ],
    [
      "a taint",
      [
        node(
          "a",
          { [product]: "NVIDIA-L40S" },
          { spec: { taints: [{ key: "x", effect: "NoSchedule" }] } },
        ),
      ],
      [],
      "none of 1 nodes with L40S accepts the pods (1: has the taint x:NoSchedule)",
    ],
    [
      "a pool that may add one",
      [node("a", {})],
      [pool([{ key: "karpenter.k8s.aws/instance-gpu-name", operator: "In", values: ["l40s"] }])],
      "Node pool gpu may add one.",
    ],
  ])("%s is a shortage with its reason", (_, nodes, pools, text) => {
    const { fitting, shortage } = nodeChoice(l40s, nodes, pools);
    expect(fitting).toEqual([]);
    expect(shortage).toContain(text);
  });

  it.each<[what: string, pool: NodePool, may: boolean]>([
    ["without requirements", pool([]), true],
    [
      "of other instance types and GPUs",
      pool([
        { key: "node.kubernetes.io/instance-type", operator: "In", values: ["g5.xlarge"] },
        { key: "karpenter.k8s.aws/instance-gpu-name", operator: "In", values: ["a10g"] },
        { key: "eks.amazonaws.com/instance-gpu-name", operator: "NotIn", values: ["l40s"] },
      ]),
      false,
    ],
    [
      "that labels its nodes",
      pool(
        [
          "node.kubernetes.io/instance-type",
          "karpenter.k8s.aws/instance-gpu-name",
          "eks.amazonaws.com/instance-gpu-name",
        ].map((key) => ({ key, operator: "In", values: ["other"] })),
        { [product]: "NVIDIA-L40S" },
      ),
      true,
    ],
  ])("a node pool %s", (_, each, may) => {
    expect(nodeChoice(l40s, [], [each]).pools).toEqual(may ? ["gpu"] : []);
  });

  it("a pod without an accelerator counts the reasons of all nodes", () => {
    const pod = { ...l40s, affinity: undefined, nodeSelector: { pool: "gpu" } };
    expect(nodeChoice(pod, [node("a", {}), node("b", { pool: "cpu" })]).shortage).toContain(
      "none of 2 nodes accepts the pods (1: lacks the label pool=gpu; 1: has the label pool=cpu, not gpu)",
    );
  });

  it("a slice fits on a node of its GPU with this slice alone", () => {
    const slice = podFor("h100-sxm-3g.40gb");
    const gke = { "cloud.google.com/gke-accelerator": "nvidia-h100-80gb" };
    const partition = { ...gke, "cloud.google.com/gke-gpu-partition-size": "3g.40gb" };
    expect(nodeChoice(slice, [node("whole", gke), node("slices", partition)]).fitting).toEqual([
      "slices",
    ]);
  });
});
