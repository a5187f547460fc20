import { describe, expect, it } from "vitest";
import { acceleratorResources, isAccelerator } from "../../../kubernetes/values/accelerators.ts";
import type { NamedAccelerator } from "./named-accelerator.ts";
import { acceleratorsOf, acceleratorsOfPod } from "./pod-accelerators.ts";

const limits = (amounts: Record<string, string | number>) => ({
  name: "engine",
  resources: { limits: amounts },
});

it.each(acceleratorResources.flatMap(({ names }) => names))("isAccelerator accepts %s", (name) => {
  expect(isAccelerator(name)).toBe(true);
});

it.each(acceleratorResources)(
  "names of $maker match only the row of $maker",
  ({ names, resource }) => {
    for (const name of names)
      expect(acceleratorResources.find((row) => row.resource.test(name))?.resource).toBe(resource);
  },
);

it.each([
  ["cpu"],
  ["memory"],
  ["hugepages-1Gi"],
  ["ephemeral-storage"],
  ["nvidia.com/gpumem"],
  ["nvidia.com/gpumem-percentage"],
  ["nvidia.com/gpucores"],
  ["nvidia.com/remote-gpu-memory"],
  ["volcano.sh/vgpu-memory"],
  ["volcano.sh/vgpu-memory-percentage"],
  ["volcano.sh/vgpu-cores"],
  ["gpu.intel.com/memory.max"],
  ["gpu.intel.com/millicores"],
  ["gpu.intel.com/i915_monitoring"],
  ["huawei.com/Ascend910B-memory"],
  ["huawei.com/Ascend310P-core"],
  ["cambricon.com/mlu.smlu.vmemory"],
  ["cambricon.com/mlu.smlu.vcore"],
  ["cambricon.com/mlu-mem"],
  ["metax-tech.com/vcore"],
  ["metax-tech.com/vmemory"],
  ["iluvatar.ai/BI-V150.vMem"],
  ["iluvatar.ai/BI-V150.vCore"],
  ["kunlunxin.com/vxpu-memory"],
  ["baidu.com/v100_cgpu_memory"],
  ["baidu.com/v100_cgpu_core"],
  ["hygon.com/dcumem"],
  ["tencent.com/vcuda-memory"],
  ["rdma/hca_shared_devices"],
  ["vpc.amazonaws.com/efa"],
  ["nvidia.com/hostdev"],
  ["openshift.io/mlxnics"],
  ["example.com/chip"],
])("isAccelerator rejects %s", (name) => {
  expect(isAccelerator(name)).toBe(false);
});

const own: readonly NamedAccelerator[] = [
  { resource: "example.com/chip" },
  { resource: "example.com/chip-percent", perDevice: 100 },
  { resource: "aliyun.com/gpu-mem", perDevice: 80 },
  { resource: "aws.amazon.com/neuron", ranksPerDevice: 2 },
];

describe("acceleratorsOf", () => {
  it.each([
    [{}, 0, 0],
    [{ "nvidia.com/gpu": 8 }, 8, 8],
    [{ "nvidia.com/gpu": 0 }, 0, 0],
    [{ "nvidia.com/gpu": 2, "nvidia.com/gpumem": 4000, "nvidia.com/gpucores": 30 }, 2, 2],
    [{ "volcano.sh/vgpu-number": "2", "volcano.sh/vgpu-memory": "40000" }, 2, 2],
    [{ "huawei.com/Ascend310P-2c": 1 }, 1, 1],
    [{ "nvidia.com/mig-3g.40gb": "2" }, 2, 2],
    [{ "aws.amazon.com/neuroncore": 4 }, 4, 4],
    [{ "aws.amazon.com/neuron": 16 }, 16, undefined],
    [{ "aliyun.com/gpu-mem": 20 }, undefined, undefined],
    [{ "aliyun.com/gpu-core.percentage": 50 }, 1, 1],
    [{ "aliyun.com/gpu-core.percentage": 250, "aliyun.com/gpu-mem": 20 }, 3, 3],
    [{ "koordinator.sh/gpu-core": 200, "koordinator.sh/gpu-memory-ratio": 200 }, 2, 2],
    [{ "nvidia.com/gpu": 4, "koordinator.sh/gpu-core": 100 }, 4, 4],
    [{ "example.com/chip": 4 }, 0, 0],
  ] as const)("counts %j as %s devices and %s ranks", (amounts, devices, ranks) => {
    expect(acceleratorsOf(limits(amounts))).toBe(devices);
    expect(acceleratorsOf(limits(amounts), [], "ranks")).toBe(ranks);
  });

  it.each([
    [{ "example.com/chip": 4 }, 4, 4],
    [{ "example.com/chip-percent": 250 }, 3, 3],
    [{ "aliyun.com/gpu-mem": 160 }, 2, 2],
    [{ "aws.amazon.com/neuron": 16 }, 16, 32],
    [{ "nvidia.com/gpu": 2, "example.com/chip": 1 }, 3, 3],
  ] as const)(
    "counts %j of a declared resource as %s devices and %s ranks",
    (amounts, devices, ranks) => {
      expect(acceleratorsOf(limits(amounts), own)).toBe(devices);
      expect(acceleratorsOf(limits(amounts), own, "ranks")).toBe(ranks);
    },
  );

  it("returns undefined for claims, unless other accelerators are counted", () => {
    const claims = [{ name: "gpus" }];
    expect(acceleratorsOf({ name: "engine", resources: { claims } })).toBeUndefined();
    expect(acceleratorsOf({ name: "engine", resources: { claims: [] } })).toBe(0);
    const both = { name: "engine", resources: { limits: { "nvidia.com/gpu": 8 }, claims } };
    expect(acceleratorsOf(both)).toBe(8);
    expect(acceleratorsOfPod({ containers: [{ name: "log" }, both] })).toBe(8);
    const claimed = { name: "engine", resources: { claims } };
    expect(acceleratorsOfPod({ containers: [{ name: "log" }, claimed] })).toBeUndefined();
  });
});
