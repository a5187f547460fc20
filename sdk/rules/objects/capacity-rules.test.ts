import { expect, it } from "vitest";
import { readStack } from "../../stack/stack.ts";
import { capacityRules } from "./capacity-rules.ts";

/** The rules on nodes of a cluster. The cases of `capacity-rules.cases.ts` give numbers of accelerators. */

const node = (name: string, resource: string, spec: object = {}) => ({
  metadata: { name },
  spec,
  status: {
    allocatable: { cpu: "64", memory: "512Gi", pods: "110", [resource]: "8" },
    conditions: [{ type: "Ready", status: "True" }],
  },
});
const nvidia = ["a", "b", "c"].map((name) => node(name, "nvidia.com/gpu"));
const ascend = node("npu", "huawei.com/Ascend910");

const deployment = (replicas: number, spec: object = {}) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "vllm", namespace: "ml" },
  spec: {
    replicas,
    template: {
      spec: {
        containers: [{ name: "e", resources: { limits: { "nvidia.com/gpu": "8" } } }],
        ...spec,
      },
    },
  },
});

const found = (objects: readonly object[], nodes: readonly object[]) =>
  capacityRules.flatMap(({ id, judge }) =>
    judge(readStack(objects), { nodes }).findings.map(({ given, fix }) => [id, given, fix]),
  );

it("accelerators of another maker are not added", () => {
  expect(found([deployment(3)], [...nvidia, ascend])).toEqual([]);
  expect(found([deployment(4)], [...nvidia, ascend])).toEqual([
    [
      "stack-fits-the-cluster",
      "can start only 3 of 4 pods",
      `Add nodes, or lower the replicas.
of 4 nodes with 24 nvidia.com/gpu, 8 huawei.com/Ascend910  GPUs               Starts
Deployment ml/vllm                                         32 nvidia.com/gpu  Partial (3 of 4 pods)`,
    ],
  ]);
  expect(found([deployment(1)], [ascend])).toMatchObject([
    [
      "minimum-fits-the-cluster",
      "requests 8 nvidia.com/gpu, and its minimum does not fit",
      expect.stringContaining("of 1 nodes with 8 huawei.com/Ascend910"),
    ],
  ]);
});

it("nodes that a pod does not tolerate, cordoned nodes and nodes with too little memory do not count", () => {
  const taints = [{ key: "gpu", effect: "NoSchedule" }];
  const closed = [
    node("t", "nvidia.com/gpu", { taints }),
    node("u", "nvidia.com/gpu", { unschedulable: true }),
  ];
  expect(found([deployment(1)], closed)).toHaveLength(1);
  expect(found([deployment(1, { tolerations: [{ operator: "Exists" }] })], closed)).toEqual([]);
  const large = {
    containers: [{ name: "e", resources: { requests: { memory: "1Ti", "nvidia.com/gpu": "1" } } }],
  };
  expect(found([deployment(1, large)], nvidia)).toHaveLength(1);
});

it("labels that no node has are only a warning, because an autoscaler may add nodes", () => {
  expect(found([deployment(1, { nodeSelector: { gpu: "l40s" } })], nvidia)).toMatchObject([
    [
      "stack-fits-the-cluster",
      "requires labels that no node of the cluster has",
      expect.stringMatching(/^Deployment ml\/vllm +8 +Unknown$/m),
    ],
  ]);
});
