import { describe, expect, it } from "vitest";
import { router, service, worker } from "../../testing/samples/sample-service.ts";
import { SpecError } from "../errors.ts";
import { nodesOf } from "../placement/gpu-nodes.ts";
import { planInferenceService } from "../plan/inference-service.ts";
import { stackRules } from "../rules/objects/index.ts";
import type { InferenceServiceInput } from "../spec/inference-service.ts";
import { readStack } from "../stack/stack.ts";
import { capacity } from "./capacity.ts";

/**
 * Services on devices of every maker: their plan, the advice at preview, the rules on their objects and the
 * placement.
 */

interface Sample {
  /** Resources of the engine. */
  resources: object;
  tensor: number;
  multinode?: object;
  sidecars?: Array<{ name: string }>;
  pod?: object;
  spec?: object;
}

function sample({
  resources,
  tensor,
  multinode,
  sidecars = [],
  pod,
  spec,
}: Sample): InferenceServiceInput {
  const engine = {
    name: "engine",
    image: "registry.example/vllm:v0.11.0",
    args: ["--model", "M", "--tensor-parallel-size", String(tensor)],
    resources,
  };
  const template = { spec: { containers: [...sidecars, engine], ...pod } };
  return service([worker({ template, ...(multinode && { multinode }) } as object), router()], spec);
}

function judged(input: InferenceServiceInput) {
  const advice: string[] = [];
  const plan = planInferenceService(input, { onAdvice: ({ given }) => advice.push(given) });
  const stack = readStack(plan);
  const devices = stackRules.filter(({ id }) => /gpus|group-is-placed|fits/.test(id));
  const nodes = { nodes: [8, 8] };
  return [
    ...advice,
    ...devices.flatMap((rule) => rule.judge(stack, nodes).findings.map(({ given }) => given)),
  ];
}

const two = { multinode: { nodeCount: 2 } };
const limits = (resource: string, amount: number | string, more: object = {}) => ({
  limits: { [resource]: amount, ...more },
});
const claim = {
  sidecars: [{ name: "logger", image: "busybox" }],
  resources: { claims: [{ name: "gpus" }] },
  pod: { resourceClaims: [{ name: "gpus", resourceClaimTemplateName: "gpus8" }] },
};

describe("a service on devices of a known resource", () => {
  const known = [
    "nvidia.com/mig-3g.40gb",
    "amd.com/gpu",
    "gpu.intel.com/i915",
    "gpu.intel.com/xe",
    "habana.ai/gaudi",
    "google.com/tpu",
    "huawei.com/Ascend910",
    "huawei.com/Ascend910-2c",
    "huawei.com/Ascend310P",
    "aws.amazon.com/neuroncore",
    "cambricon.com/mlu370",
    "metax-tech.com/sgpu",
    "iluvatar.com/gpu",
    "kunlunxin.com/xpu",
    "baidu.com/xpu",
    "volcano.sh/vgpu-number",
    "newmaker.example/npu",
  ];

  /** Advice on resources that are a part of a device. */
  const parts: Readonly<Record<string, string>> = {
    "nvidia.com/mig-3g.40gb": "slices of a GPU cannot communicate with one another",
    "metax-tech.com/sgpu": "a share of a device",
  };
  const adviceOn = (resource: string) =>
    parts[resource] === undefined ? [] : [expect.stringContaining(parts[resource])];

  it.each(known)("counts %s on one node", (resource) => {
    const input = sample({ resources: limits(resource, 2), tensor: 2 });
    expect(capacity(input, nodesOf(8, 8))).toMatchObject({
      status: "Full",
      idleGpus: 6,
      note: "",
    });
    expect(judged(input)).toEqual(adviceOn(resource));
  });

  it.each(known)("counts %s over a group of two nodes", (resource) => {
    const input = sample({ resources: limits(resource, 8), tensor: 16, ...two });
    expect(capacity(input, nodesOf(16, 8))).toMatchObject({ status: "Full", idleGpus: 0 });
    expect(capacity(input, nodesOf(8, 8)).status).toBe("Blocked");
    expect(judged(input)).toEqual(adviceOn(resource));
    const short = sample({ resources: limits(resource, 8), tensor: 8, ...two });
    expect(judged(short)[0]).toContain("set parallel sizes for 8 accelerators");
  });
});

describe("a service on devices that cannot be counted", () => {
  it.each([
    ["claims", claim],
    ["gpu memory", { resources: limits("aliyun.com/gpu-mem", 20) }],
  ])(
    "with %s is accepted without findings, and the placement notes the unknown number",
    (_, devices) => {
      for (const multinode of [{}, two]) {
        const input = sample({ tensor: 16, ...devices, ...multinode });
        expect(judged(input)).toEqual([]);
        const { status, note } = capacity(input, nodesOf(8, 8));
        expect(status).toBe("Full");
        expect(note).toContain("the number of accelerators of inference is unknown");
        expect(note).not.toContain("no GPU");
      }
    },
  );

  it("counts devices of Neuron, but does not check their ranks", () => {
    const resources = limits("aws.amazon.com/neuron", 8);
    for (const tensor of [16, 32, 64])
      expect(judged(sample({ resources, tensor, ...two }))).toEqual([]);
    expect(capacity(sample({ resources, tensor: 32, ...two }), nodesOf(16, 8)).idleGpus).toBe(0);
  });
});

describe("a resource that the service names", () => {
  const accelerators = [{ resource: "example.com/chip", perDevice: 2, ranksPerDevice: 4 }];
  const spec = { accelerators };
  const resources = limits("example.com/chip", 16);

  it("is counted in its own units by the placement and by the rules on objects", () => {
    const input = sample({ resources, tensor: 64, ...two, spec });
    expect(capacity(input, nodesOf(16, 8))).toMatchObject({
      status: "Full",
      idleGpus: 0,
      note: "",
    });
    expect(judged(input)).toEqual([]);
    const short = judged(sample({ resources, tensor: 16, ...two, spec }));
    expect(short[0]).toContain("set parallel sizes for 16 accelerators");
  });

  it("is annotated on the workload and not on its pods", () => {
    const plan = planInferenceService(sample({ resources, tensor: 64, ...two, spec }));
    const key = "pulumi-inference/accelerators";
    const having = plan.filter(({ metadata }) => metadata.annotations?.[key] !== undefined);
    expect(having.map(({ kind }) => kind)).toEqual(["LeaderWorkerSet"]);
    expect(having[0]?.metadata.annotations?.[key]).toBe(JSON.stringify(accelerators));
    expect(JSON.stringify(having[0]?.spec)).not.toContain(key);
  });

  it("changes no pod template", () => {
    const specOf = (input: InferenceServiceInput) =>
      planInferenceService(input).find(({ kind }) => kind === "LeaderWorkerSet")?.spec;
    const custom = { multinode: { nodeCount: 2, executor: "custom" } };
    expect(specOf(sample({ resources, tensor: 64, ...custom, spec }))).toEqual(
      specOf(sample({ resources, tensor: 64, ...custom })),
    );
  });

  it("must have a whole number as its amount, as devices do", () => {
    const half = sample({ resources: limits("example.com/chip", "0.5"), tensor: 1, spec });
    expect(() => planInferenceService(half)).toThrow(/example\.com\/chip.*whole number/s);
  });

  it("keeps nvidia-gpu-defaults from adding a GPU", () => {
    const plugins = [{ name: "nvidia-gpu-defaults", type: "BuiltIn" }];
    const input = sample({ resources, tensor: 1, spec: { ...spec, plugins } });
    expect(() => planInferenceService(input)).toThrow("requests example.com/chip");
  });
});

it("nvidia-gpu-defaults adds no GPU to a pod with claims", () => {
  const plugins = [{ name: "nvidia-gpu-defaults", type: "BuiltIn" }];
  const plan = planInferenceService(sample({ ...claim, tensor: 8, spec: { plugins } }));
  expect(JSON.stringify(plan.find(({ kind }) => kind === "LeaderWorkerSet"))).not.toContain(
    "nvidia.com/gpu",
  );
});

describe("a group without accelerators", () => {
  const refusal = (given: Partial<Sample>) => {
    try {
      planInferenceService(sample({ resources: {}, tensor: 16, ...two, ...given }));
    } catch (error) {
      if (error instanceof SpecError)
        return error.problems.map(({ given, fix }) => ({ given, fix }));
      throw error;
    }
    return [];
  };

  it("is refused with the ways to request accelerators", () => {
    expect(refusal({})).toEqual([
      {
        given: "request no accelerator",
        fix: 'Add resources.limits such as "nvidia.com/gpu": "8", add a plugin that sets them, or set multinode.executor to custom.',
      },
    ]);
  });

  it("is refused with the unknown resource and the field that declares it", () => {
    const resources = limits("example.com/chip", 8, { cpu: "8" });
    expect(refusal({ resources })).toEqual([
      {
        given: "request example.com/chip, which is not a known accelerator",
        fix: 'If this resource counts accelerators, add accelerators: [{ resource: "example.com/chip" }] to the service; otherwise request a resource that counts accelerators.',
      },
    ]);
    expect(
      refusal({ resources, spec: { accelerators: [{ resource: "example.com/chip" }] } }),
    ).toEqual([]);
  });

  it("is accepted if its executor is custom", () => {
    const multinode = { nodeCount: 2, executor: "custom" };
    expect(refusal({ multinode })).toEqual([]);
    expect(refusal({ multinode, resources: limits("example.com/chip", 8) })).toEqual([]);
  });
});

const gpuNode = (taints: object[]) => ({
  metadata: { name: "gpus", labels: {} },
  spec: { taints },
  status: {
    allocatable: { "nvidia.com/gpu": "8", cpu: "64", memory: "512Gi", pods: "110" },
    conditions: [{ type: "Ready", status: "True" }],
  },
});

it.each([
  ["accepts its picker", [], "Full", 0],
  ["refuses its picker", [{ key: "team", value: "x", effect: "NoSchedule" }], "Blocked", 1],
] as const)("a service whose only node %s has the right status", (_, taints, status, findings) => {
  const input = sample({
    resources: { limits: { "nvidia.com/gpu": 1 } },
    tensor: 1,
    pod: { tolerations: [{ key: "team", operator: "Exists" }] },
  });
  const nodes = [gpuNode([...taints])] as never;
  expect(capacity(input, nodes).status).toBe(status);
  const rule = stackRules.find(({ id }) => id === "minimum-fits-the-cluster");
  expect(rule?.judge(readStack(planInferenceService(input)), { nodes }).findings).toHaveLength(
    findings,
  );
});
