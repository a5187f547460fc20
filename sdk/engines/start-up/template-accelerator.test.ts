import { expect, it } from "vitest";
import { acceleratorOfPod, decidingAccelerator } from "./template-accelerator.ts";

const containers = [{}];
const selecting = (label: string, value: string) => ({
  containers,
  nodeSelector: { [label]: value },
});
const required = (...terms: Array<Record<string, readonly string[]>>) => ({
  containers,
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: terms.map((term) => ({
          matchExpressions: Object.entries(term).map(([key, values]) => ({
            ...{ key, operator: "In", values },
          })),
        })),
      },
    },
  },
});
const mig = (resource: string) => ({ containers: [{ resources: { limits: { [resource]: 1 } } }] });
const product = "nvidia.com/gpu.product";

it.each([
  ["a product of NVIDIA", selecting(product, "NVIDIA-H100-80GB-HBM3"), "H100 SXM 80 GB"],
  ["a product that is shared", selecting(product, "NVIDIA-L4-SHARED"), "L4"],
  ["GKE", selecting("cloud.google.com/gke-accelerator", "nvidia-h200-141gb"), "H200 SXM 141 GB"],
  ["an instance type", selecting("node.kubernetes.io/instance-type", "g6e.12xlarge"), "L40S"],
  ["AMD", selecting("amd.com/gpu.product-name", "AMD_Instinct_MI300X_OAM"), "MI300X"],
  ["required affinity", required({ [product]: ["NVIDIA-A10G"] }), "A10G"],
  ["values of one kind", required({ [product]: ["Tesla-T4", "Tesla-T4-SHARED"] }), "T4"],
  [
    "a MIG instance of a named GPU",
    { ...mig("nvidia.com/mig-1g.10gb"), nodeSelector: { [product]: "NVIDIA-H100-80GB-HBM3" } },
    "H100 SXM 80 GB, MIG 1g.10gb",
  ],
  [
    "a MIG instance of one GPU alone",
    mig("nvidia.com/mig-1g.18gb"),
    "H200 SXM 141 GB, MIG 1g.18gb",
  ],
])("%s selects an accelerator", (_, pod, title) => {
  expect(acceleratorOfPod(pod)?.title).toBe(title);
});

it.each([
  ["no label", { containers }],
  ["a product that is not known", selecting(product, "NVIDIA-X1")],
  ["values of two kinds", required({ [product]: ["Tesla-T4", "NVIDIA-A10G"] })],
  ["a term without the label", required({ [product]: ["Tesla-T4"] }, { zone: ["a"] })],
  ["a MIG instance of several GPUs", mig("nvidia.com/mig-1g.10gb")],
  [
    "two labels that differ",
    {
      containers,
      nodeSelector: { [product]: "Tesla-T4", "node.kubernetes.io/instance-type": "g5.xlarge" },
    },
  ],
])("%s selects none", (_, pod) => {
  expect(acceleratorOfPod(pod)).toBeUndefined();
});

const gpus = (resource: string, pod: object = {}) => ({ ...pod, ...mig(resource) });

it.each([
  [
    "an unknown GPU",
    gpus("nvidia.com/gpu"),
    "GB300 288 GB (the nvidia.com/gpu with the most memory)",
  ],
  [
    "a MIG instance of several GPUs",
    gpus("nvidia.com/mig-3g.40gb"),
    "A100 SXM4 80 GB, MIG 3g.40gb (the nvidia.com/mig-3g.40gb with the most memory)",
  ],
  [
    "values of two kinds",
    gpus("nvidia.com/gpu", required({ [product]: ["Tesla-T4", "NVIDIA-A10G"] })),
    "T4 (one of the accelerators that the pod accepts)",
  ],
  [
    "terms of two kinds",
    gpus("nvidia.com/gpu", required({ [product]: ["NVIDIA-A10G"] }, { [product]: ["Tesla-T4"] })),
    "T4 (one of the accelerators that the pod accepts)",
  ],
  ["a resource without known devices", gpus("example.com/fpga"), undefined],
])("%s decides whether a model fits", (_, pod, title) => {
  expect(decidingAccelerator(pod)?.title).toBe(title);
});
