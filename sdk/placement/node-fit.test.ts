import { describe, expect, it } from "vitest";
import type { ClusterNode } from "./cluster-node.ts";
import { nodeObstacles, type PlacedSpec } from "./node-fit.ts";

const ready = [{ type: "Ready", status: "True" }];

const node = (given: {
  labels?: Record<string, string>;
  spec?: ClusterNode["spec"];
  allocatable?: Record<string, string>;
  conditions?: typeof ready;
}): ClusterNode => ({
  metadata: { name: "n1", ...(given.labels && { labels: given.labels }) },
  ...(given.spec && { spec: given.spec }),
  status: {
    allocatable: given.allocatable ?? {
      cpu: "8",
      memory: "32Gi",
      pods: "110",
      "nvidia.com/gpu": "8",
    },
    conditions: given.conditions ?? ready,
  },
});

const pod = (spec: object = {}, requests: Record<string, string> = {}): PlacedSpec => ({
  containers: [{ name: "engine", resources: { requests } }],
  ...spec,
});

const texts = (given: PlacedSpec, on: ClusterNode) =>
  nodeObstacles(given, on).map(({ text }) => text);

const required = (...terms: object[]) => ({
  affinity: {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } },
  },
});
const expression = (key: string, operator: string, ...values: string[]) => ({
  matchExpressions: [{ key, operator, ...(values.length > 0 && { values }) }],
});

describe("required node affinity", () => {
  const l40s = node({ labels: { gpu: "l40s", tier: "3", empty: "" } });
  it.each<[boolean, string, string, string[]]>([
    [true, "gpu", "In", ["t4", "l40s"]],
    [false, "gpu", "In", ["t4"]],
    [false, "absent", "In", ["t4"]],
    [true, "gpu", "NotIn", ["t4"]],
    [false, "gpu", "NotIn", ["l40s"]],
    [true, "absent", "NotIn", ["t4"]],
    [true, "empty", "Exists", []],
    [false, "constructor", "Exists", []],
    [true, "absent", "DoesNotExist", []],
    [false, "gpu", "DoesNotExist", []],
    [true, "tier", "Gt", ["2"]],
    [false, "tier", "Gt", ["3"]],
    [true, "tier", "Lt", ["10"]],
    [false, "gpu", "Lt", ["10"]],
    [false, "absent", "Gt", ["2"]],
    [false, "tier", "Gt", ["2", "1"]],
    [false, "gpu", "Near", ["l40s"]],
    [false, "gpu", "toString", ["l40s"]],
  ])("%s: %s %s %j", (matches, key, operator, values) => {
    const found = texts(pod(required(expression(key, operator, ...values))), l40s);
    expect(found).toEqual(matches ? [] : ["matches no term of the required node affinity"]);
  });

  it("terms are alternatives, expressions of a term are not", () => {
    const wrong = expression("gpu", "In", "t4");
    const right = expression("gpu", "In", "l40s");
    const both = { matchExpressions: [...wrong.matchExpressions, ...right.matchExpressions] };
    expect(texts(pod(required(wrong, right)), l40s)).toEqual([]);
    expect(texts(pod(required(both)), l40s)).toHaveLength(1);
    expect(texts(pod(required({})), l40s)).toHaveLength(1);
    expect(texts(pod(required()), l40s)).toHaveLength(1);
  });

  it("a term may name the node", () => {
    const named = (name: string) => ({
      matchFields: [{ key: "metadata.name", operator: "In", values: [name] }],
    });
    expect(texts(pod(required(named("n1"))), l40s)).toEqual([]);
    expect(texts(pod(required(named("n2"))), l40s)).toHaveLength(1);
  });
});

describe("taints", () => {
  const tainted = (effect: string, value?: string) =>
    node({ spec: { taints: [{ key: "nvidia.com/gpu", effect, ...(value && { value }) }] } });
  it.each<[boolean, string, object[]]>([
    [false, "NoSchedule", []],
    [false, "NoExecute", []],
    [true, "PreferNoSchedule", []],
    [true, "NoSchedule", [{ operator: "Exists" }]],
    [true, "NoSchedule", [{ key: "nvidia.com/gpu", operator: "Exists" }]],
    [true, "NoSchedule", [{ key: "nvidia.com/gpu", value: "present" }]],
    [false, "NoSchedule", [{ key: "nvidia.com/gpu", value: "other" }]],
    [false, "NoSchedule", [{ key: "nvidia.com/gpu" }]],
    [false, "NoSchedule", [{ key: "amd.com/gpu", operator: "Exists" }]],
    [false, "NoSchedule", [{ operator: "Exists", effect: "NoExecute" }]],
    [true, "NoSchedule", [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }]],
    [false, "NoSchedule", [{ key: "nvidia.com/gpu", operator: "Gt", value: "present" }]],
  ])("%s: %s %j", (accepts, effect, tolerations) => {
    expect(texts(pod({ tolerations }), tainted(effect, "present"))).toEqual(
      accepts ? [] : [`has the taint nvidia.com/gpu=present:${effect}`],
    );
  });

  it("a cordoned node accepts only a pod that tolerates it, a node that is not ready accepts none", () => {
    const all = [{ operator: "Exists" }];
    const cordoned = node({ spec: { unschedulable: true } });
    expect(texts(pod(), cordoned)).toEqual(["is cordoned"]);
    expect(texts(pod({ tolerations: all }), cordoned)).toEqual([]);
    const away = node({
      conditions: [{ type: "Ready", status: "Unknown" }],
      spec: { taints: [{ key: "node.kubernetes.io/unreachable", effect: "NoExecute" }] },
    });
    expect(texts(pod({ tolerations: all }), away)).toEqual(["is not ready"]);
    expect(texts(pod(), node({ conditions: [] }))).toEqual(["is not ready"]);
  });
});

describe("resources", () => {
  it("every requested resource must be there in its own unit", () => {
    const requests = { "nvidia.com/gpu": "8", cpu: "9", "rdma/ib": "1", memory: "32Gi" };
    expect(texts(pod({}, requests), node({}))).toEqual([
      "has only 8 cpu, but the pod requests 9",
      "has no rdma/ib, but the pod requests 1",
    ]);
    const ascend = node({ allocatable: { "huawei.com/Ascend910": "8", pods: "0" } });
    expect(texts(pod({}, { "nvidia.com/gpu": "1", cpu: "1" }), ascend)).toEqual([
      "has no nvidia.com/gpu, but the pod requests 1",
      "has only 0 pods, but the pod requests 1",
    ]);
  });

  it("a request of 0 needs nothing", () => {
    expect(texts(pod({}, { "rdma/ib": "0" }), node({}))).toEqual([]);
  });
});

it("every reason is listed", () => {
  const selected = pod({ nodeSelector: { gpu: "l40s", zone: "a" }, nodeName: "n2" });
  expect(texts(selected, node({ labels: { gpu: "t4" } }))).toEqual([
    "is not the node n2",
    "has the label gpu=t4, not l40s",
    "lacks the label zone=a",
  ]);
});
