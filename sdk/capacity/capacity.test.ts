import { describe, expect, it } from "vitest";
import { type GpuNode, nodesOf } from "../placement/gpu-nodes.ts";
import type { GangLayout, InferenceService, WorkloadMode } from "../spec/inference-service.ts";
import { type CapacityOptions, capacity } from "./capacity.ts";
import { formatStatus } from "./capacity-text.ts";
import { type SampleRole, sampleService } from "./sample-service.fixture.ts";

// Outcomes of Volcano's scheduler and the LeaderWorkerSet controller on simulated nodes, unless noted otherwise.

const prefill = (role: Partial<SampleRole>): SampleRole => ({
  name: "prefill",
  componentType: "prefiller",
  replicas: 1,
  gpus: 8,
  ...role,
});
const decode = (role: Partial<SampleRole>): SampleRole => ({
  name: "decode",
  componentType: "decoder",
  replicas: 1,
  gpus: 8,
  ...role,
});
const inference = (role: Partial<SampleRole>): SampleRole => ({
  name: "inference",
  componentType: "worker",
  replicas: 1,
  gpus: 8,
  ...role,
});

const story2 = [prefill({ replicas: 2, gpus: 1 }), decode({ replicas: 4, gpus: 1 })];
const story3 = [inference({ replicas: 2, nodeCount: 4 })];
const story4 = [prefill({ nodeCount: 2 }), decode({ replicas: 2, nodeCount: 4 })];

const withLayout = (
  roles: readonly SampleRole[],
  layout: GangLayout = "subGroup",
  workload: WorkloadMode = "auto",
) => sampleService(roles, { workload, schedulingStrategy: { gang: { layout } } });

/** Bound pods of each replica: `2/4/0`. */
const bound = (service: InferenceService, nodes: readonly GpuNode[], options?: CapacityOptions) =>
  capacity(service, nodes, options)
    .replicas.map(({ scheduledPods }) => scheduledPods)
    .join("/");

const nodes = (...gpus: number[]): GpuNode[] => gpus.map((count) => ({ gpus: count }));

describe("placement of the table in the InferenceService design", () => {
  it.each([
    [80, "Full", 0],
    [64, "Partial (1P + 1D)", 16],
    [48, "Partial (1P + 1D)", 0],
    [32, "Blocked", 32],
    [16, "Blocked", 16],
  ])("%i GPUs: %s", (gpus, status, idleGpus) => {
    const service = withLayout(story4);
    const row = capacity(service, nodesOf(gpus, 8));
    expect(row).toMatchObject({ gpus, idleGpus });
    expect(formatStatus(service, row)).toBe(status);
  });

  it("notes the reason why a service is blocked", () => {
    const { note } = capacity(withLayout(story4), nodesOf(32, 8));
    expect(note).toBe("needs 48 GPUs for 1 prefill + 1 decode together");
  });
});

describe("layout subGroup", () => {
  describe.each(["perReplica", "perRole"] as const)("with LeaderWorkerSets %s", (workload) => {
    it.each([
      [10, "2/4/4", 0],
      [9, "2/4/0", 24],
      [8, "2/4/0", 16],
      [6, "2/4/0", 0],
      [4, "0/0/0", 32],
      [2, "0/0/0", 16],
    ])("story 4 on %i nodes: %s", (count, pods, idleGpus) => {
      const service = withLayout(story4, "subGroup", workload);
      expect(bound(service, nodesOf(count * 8, 8))).toBe(pods);
      expect(capacity(service, nodesOf(count * 8, 8)).idleGpus).toBe(idleGpus);
    });

    it.each([
      [8, "4/4"],
      [7, "4/0"],
      [4, "4/0"],
      [3, "0/0"],
    ])("story 3 on %i nodes: %s", (count, pods) => {
      const service = withLayout(story3, "subGroup", workload);
      expect(bound(service, nodesOf(count * 8, 8))).toBe(pods);
    });

    it.each([
      [8, "1/1/1/1/1/1"],
      [6, "1/1/1/1/1/1"],
      [5, "1/1/1/1/1/0"],
      [3, "1/0/1/1/0/0"],
      [2, "1/0/1/0/0/0"],
      [1, "0/0/0/0/0/0"],
    ])("story 2 on %i GPUs: %s", (gpus, pods) => {
      expect(bound(withLayout(story2, "subGroup", workload), nodesOf(gpus, 8))).toBe(pods);
    });

    it.each([
      [14, "2/4/4/4"],
      [12, "2/4/4/0"],
      [10, "2/4/4/0"],
      [9, "0/0/0/0"],
    ])("a minimum of 2 decoders of 3 on %i nodes: %s", (count, pods) => {
      const roles = [
        prefill({ nodeCount: 2 }),
        decode({ replicas: 3, minReplicas: 2, nodeCount: 4 }),
      ];
      expect(bound(withLayout(roles, "subGroup", workload), nodesOf(count * 8, 8))).toBe(pods);
    });
  });

  it("takes the third decoder whole or not at all", () => {
    const roles = [prefill({ nodeCount: 2 }), decode({ replicas: 3, nodeCount: 4 })];
    expect(bound(withLayout(roles), nodesOf(12 * 8, 8))).toBe("2/4/4/0");
    expect(bound(withLayout(roles), nodesOf(14 * 8, 8))).toBe("2/4/4/4");
  });

  it("skips a replica that does not fit and places a smaller one after it", () => {
    const roles = [decode({ replicas: 2, nodeCount: 4 }), prefill({ replicas: 2, nodeCount: 2 })];
    expect(bound(withLayout(roles), nodesOf(8 * 8, 8))).toBe("4/0/2/2");
  });
});

describe("layout task", () => {
  it.each([
    [10, "2/4/4"],
    [9, "0/0/0"],
    [8, "0/0/0"],
    [6, "0/0/0"],
    [4, "0/0/0"],
    [2, "0/0/0"],
  ])("starts story 4 on %i nodes: %s", (count, pods) => {
    expect(bound(withLayout(story4, "task"), nodesOf(count * 8, 8))).toBe(pods);
  });

  it.each([
    [8, "4/4"],
    [7, "0/0"],
    [4, "0/0"],
    [3, "0/0"],
  ])("starts story 3 on %i nodes: %s", (count, pods) => {
    expect(bound(withLayout(story3, "task"), nodesOf(count * 8, 8))).toBe(pods);
  });

  it("starts nothing if not all replicas fit", () => {
    const { note, status } = capacity(withLayout(story4, "task"), nodesOf(72, 8));
    expect(status).toBe("Blocked");
    expect(note).toBe("needs 80 GPUs for 1 prefill + 2 decode together");
  });
});

describe("roles with different GPU counts per pod", () => {
  const mixed = withLayout([prefill({ nodeCount: 2 }), decode({ nodeCount: 2, gpus: 4 })]);
  const stock: CapacityOptions = { scheduler: { binpack: "stock" } };
  const gpu: CapacityOptions = { scheduler: { binpack: "gpu" } };

  it.each([
    ["8/8/8", nodes(8, 8, 8), "0/0", "2/2"],
    ["8/8/4/4", nodes(8, 8, 4, 4), "0/0", "2/2"],
    ["8/8/4", nodes(8, 8, 4), "0/0", "0/0"],
    ["8/6/6/4", nodes(8, 6, 6, 4), "0/0", "0/0"],
  ])(
    "pods on nodes %s start depending on the resources that Volcano's binpack scores",
    (_, on, byStock, byGpu) => {
      expect(bound(mixed, on, stock)).toBe(byStock);
      expect(bound(mixed, on, gpu)).toBe(byGpu);
    },
  );

  it("the placement uses the stock configuration by default, with a note on the other one", () => {
    const { status, note } = capacity(mixed, nodes(8, 8, 8));
    expect(status).toBe("Blocked");
    expect(note).toContain("Full with Volcano's binpack scoring nvidia.com/gpu");
    expect(note).toContain("24 GPUs are enough for 1 prefill + 1 decode together (24)");
    expect(capacity(mixed, nodes(8, 8, 8), gpu).note).toContain(
      "Blocked with Volcano's stock configuration",
    );
  });

  it("the note omits the configuration if both give the same result", () => {
    expect(capacity(mixed, nodes(8, 8, 4)).note).toBe(
      "needs 24 GPUs for 1 prefill + 1 decode together",
    );
    expect(capacity(withLayout(story4), nodesOf(80, 8)).note).toBe("");
  });
});

describe("layout none", () => {
  it("pods start one by one and replicas can stay half started", () => {
    const row = capacity(withLayout(story4, "none"), nodesOf(48, 8));
    expect(row.replicas.map(({ scheduledPods }) => scheduledPods)).toEqual([2, 2, 2]);
    expect(row).toMatchObject({ status: "Blocked", idleGpus: 0 });
    expect(row.note).toContain("decode-0 has 2 of 4 pods, decode-1 has 2 of 4 pods");
  });

  it("single-node replicas are complete once their pod is placed", () => {
    const service = withLayout([inference({ replicas: 3, gpus: 4 })]);
    const row = capacity(service, nodesOf(8, 8));
    expect(row.replicas.map(({ scheduledPods }) => scheduledPods)).toEqual([1, 1, 0]);
    expect(formatStatus(service, row)).toBe("Partial (2 of 3 inference)");
  });

  it("single-node roles next to a gang take GPUs first, and the note reports the other possible outcome", () => {
    const roles = [
      inference({ name: "small", replicas: 2, gpus: 8 }),
      inference({ name: "large", nodeCount: 2 }),
    ];
    const service = withLayout(roles);
    const row = capacity(service, nodesOf(24, 8));
    expect(formatStatus(service, row)).toBe("Partial (2 of 2 small, 0 of 1 large)");
    expect(row.note).toContain("24 GPUs are enough for 1 large (16)");
    expect(row.note).toContain(
      "Partial (1 of 2 small, 1 of 1 large) if the gang's pods are scheduled before the pods outside it",
    );
  });

  it("a worker serves even if the prefill-decode pair of its service does not start", () => {
    const service = withLayout([...story4, inference({ gpus: 8 })]);
    expect(formatStatus(service, capacity(service, nodesOf(16, 8)))).toBe(
      "Partial (0P + 0D, 1 of 1 inference)",
    );
  });
});

it("the note names a pod that is larger than every node", () => {
  const large = withLayout([inference({ nodeCount: 1, gpus: 16 })]);
  expect(capacity(large, nodesOf(32, 8))).toMatchObject({
    status: "Blocked",
    note: "a pod of inference needs 16 GPUs, but no node has more than 8",
  });
  expect(capacity(large, nodesOf(32, 16)).note).toBe("");
});

describe("pods of one replica on distinct nodes", () => {
  it("pods of one replica on distinct nodes need a node each", () => {
    const half = inference({ nodeCount: 4, gpus: 4 });
    expect(bound(withLayout([half]), nodesOf(16, 8))).toBe("4");
    const spread = withLayout([{ ...half, distinctNodes: true }]);
    expect(bound(spread, nodesOf(16, 8))).toBe("0");
    expect(bound(spread, nodesOf(32, 8))).toBe("4");
    expect(capacity(spread, nodesOf(16, 8)).note).toContain(
      "no placement was found for pods of 4 GPUs on distinct nodes",
    );
  });

  it("pods of one replica on distinct nodes share nodes with other replicas", () => {
    const roles = [inference({ replicas: 2, nodeCount: 2, gpus: 4, distinctNodes: true })];
    expect(bound(withLayout(roles), nodesOf(16, 8))).toBe("2/2");
  });
});

describe("accelerators", () => {
  it("accelerators of a smaller last node are counted", () => {
    expect(nodesOf(20, 8)).toEqual(nodes(8, 8, 4));
    expect(bound(withLayout([inference({ replicas: 6, gpus: 4 })]), nodesOf(20, 8))).toBe(
      "1/1/1/1/1/0",
    );
  });

  it("accelerators are counted over all containers", () => {
    const service = withLayout([inference({ replicas: 2, gpus: 4 })]);
    const [role] = service.spec.roles;
    if (role?.componentType !== "worker") throw new Error("the sample is a worker");
    role.template.spec.containers.push({
      name: "second",
      resources: { requests: { "amd.com/gpu": 2 }, limits: { "amd.com/gpu": 2 } },
    });
    const { idleGpus, note } = capacity(service, nodesOf(8, 8));
    expect(idleGpus).toBe(2);
    expect(note).toContain("nvidia.com/gpu and amd.com/gpu are counted as one kind");
  });

  it("a role without GPUs is counted as started, with a note", () => {
    const row = capacity(withLayout([inference({ gpus: 0, replicas: 2 })]), nodesOf(8, 8));
    expect(row).toMatchObject({ status: "Full", idleGpus: 8 });
    expect(row.note).toBe("inference requests no GPU and is counted as started");
  });
});

it("a service with zero replicas is Full without any nodes", () => {
  const service = withLayout([prefill({ replicas: 0 }), decode({ replicas: 0 })]);
  expect(capacity(service, [])).toEqual({
    gpus: 0,
    status: "Full",
    replicas: [],
    idleGpus: 0,
    note: "",
  });
});
