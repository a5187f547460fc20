/** The accelerator on which the pods of a template run, if the template selects it. */

import type { AcceleratorType } from "../accelerators/accelerator.ts";
import { type AcceleratorName, acceleratorTypes } from "../accelerators/index.ts";

/** Label values by pattern; the first match is used. */
type Values = ReadonlyArray<readonly [RegExp, AcceleratorName]>;

/** Products as NVIDIA's GPU feature discovery and AMD's node labeller publish them. */
const products: Values = [
  [/^NVIDIA-H100-80GB-HBM3/, "h100-sxm"],
  [/^NVIDIA-H100-PCIe/, "h100-pcie"],
  [/^NVIDIA-H100-NVL/, "h100-nvl"],
  [/^NVIDIA-H200(-NVL)?(-SHARED)?$/, "h200-sxm"],
  [/^NVIDIA-H20(-SHARED)?$/, "h20"],
  [/^NVIDIA-GH200-480GB/, "gh200"],
  [/^NVIDIA-B200/, "b200-sxm"],
  [/^NVIDIA-GB200/, "gb200"],
  [/^NVIDIA-B300/, "b300-sxm"],
  [/^NVIDIA-GB300/, "gb300"],
  [/^(NVIDIA-)?A100-SXM4?-80GB/, "a100-sxm-80gb"],
  [/^(NVIDIA-)?A100-SXM4?-40GB/, "a100-sxm-40gb"],
  [/^(NVIDIA-)?A100-80GB-PCIe/i, "a100-pcie-80gb"],
  [/^NVIDIA-A30/, "a30"],
  [/^NVIDIA-A10G/, "a10g"],
  [/^NVIDIA-A10(-SHARED)?$/, "a10"],
  [/^NVIDIA-A40/, "a40"],
  [/^NVIDIA-L40S/, "l40s"],
  [/^NVIDIA-L40(-SHARED)?$/, "l40"],
  [/^NVIDIA-L4(-SHARED)?$/, "l4"],
  [/^(NVIDIA-)?Tesla-T4/, "t4"],
  [/^(NVIDIA-)?Tesla-V100-SXM2-32GB/, "v100-sxm-32gb"],
  [/^(NVIDIA-)?Tesla-V100-SXM2-16GB/, "v100-sxm-16gb"],
  [/^NVIDIA-RTX-A6000/, "rtx-a6000"],
  [/^NVIDIA-RTX-6000-Ada/, "rtx-6000-ada"],
  [/^NVIDIA-RTX-PRO-6000/, "rtx-pro-6000"],
  [/^NVIDIA-GeForce-RTX-3090/, "rtx-3090"],
  [/^NVIDIA-GeForce-RTX-4090/, "rtx-4090"],
  [/^NVIDIA-GeForce-RTX-5090/, "rtx-5090"],
  [/MI210/, "mi210"],
  [/MI300X/, "mi300x"],
  [/MI325X/, "mi325x"],
  [/MI350X/, "mi350x"],
  [/MI355X/, "mi355x"],
];

/** Google's names of accelerators: cloud.google.com, GPUs and TPUs in GKE. */
const gke: Values = [
  [/^nvidia-tesla-t4$/, "t4"],
  [/^nvidia-l4$/, "l4"],
  [/^nvidia-tesla-v100$/, "v100-sxm-16gb"],
  [/^nvidia-tesla-a100$/, "a100-sxm-40gb"],
  [/^nvidia-a100-80gb$/, "a100-sxm-80gb"],
  [/^nvidia-h100(-mega)?-80gb$/, "h100-sxm"],
  [/^nvidia-h200-141gb$/, "h200-sxm"],
  [/^nvidia-b200$/, "b200-sxm"],
  [/^nvidia-gb200$/, "gb200"],
  [/^nvidia-rtx-pro-6000$/, "rtx-pro-6000"],
  [/^tpu-v5-lite/, "tpu-v5e"],
  [/^tpu-v5p/, "tpu-v5p"],
  [/^tpu-v6e/, "tpu-v6e"],
];

/** Instance types of AWS, Google Cloud and Azure. */
const instances: Values = [
  [/^g4dn\./, "t4"],
  [/^g5\./, "a10g"],
  [/^g6\./, "l4"],
  [/^g6e\./, "l40s"],
  [/^p3\./, "v100-sxm-16gb"],
  [/^p3dn\./, "v100-sxm-32gb"],
  [/^p4d\./, "a100-sxm-40gb"],
  [/^p4de\./, "a100-sxm-80gb"],
  [/^p5\./, "h100-sxm"],
  [/^p5en?\./, "h200-sxm"],
  [/^p6-b200\./, "b200-sxm"],
  [/^p6-b300\./, "b300-sxm"],
  [/^g2-standard-/, "l4"],
  [/^a2-(high|mega)gpu-/, "a100-sxm-40gb"],
  [/^a2-ultragpu-/, "a100-sxm-80gb"],
  [/^a3-(high|mega|edge)gpu-/, "h100-sxm"],
  [/^a3-ultragpu-/, "h200-sxm"],
  [/^a4-highgpu-/, "b200-sxm"],
  [/^a4x-highgpu-/, "gb200"],
  [/^Standard_NC\d+as_T4_v3$/, "t4"],
  [/^Standard_NV\d+adm?s_A10_v5$/, "a10"],
  [/^Standard_NC\d+ads_A100_v4$/, "a100-pcie-80gb"],
  [/^Standard_NC\d+adis?_H100_v5$|^Standard_NC\d+ads_H100_v5$/, "h100-nvl"],
  [/^Standard_ND96asr_v4$/, "a100-sxm-40gb"],
  [/^Standard_ND96amsr_A100_v4$/, "a100-sxm-80gb"],
  [/^Standard_ND96isr_H100_v5$/, "h100-sxm"],
  [/^Standard_ND96isr_H200_v5$/, "h200-sxm"],
  [/^Standard_ND96isr_MI300X_v5$/, "mi300x"],
];

/** Karpenter's names on AWS. */
const karpenter: Values = [
  [/^t4$/, "t4"],
  [/^a10g$/, "a10g"],
  [/^l4$/, "l4"],
  [/^l40s$/, "l40s"],
  [/^h100$/, "h100-sxm"],
  [/^h200$/, "h200-sxm"],
  [/^b200$/, "b200-sxm"],
];

/** CoreWeave's names. */
const coreWeave: Values = [
  [/^H100/, "h100-sxm"],
  [/^H200/, "h200-sxm"],
  [/^B200/, "b200-sxm"],
  [/^GB200/, "gb200"],
  [/^L40S/, "l40s"],
];

/** Labels of nodes that name accelerators. */
const labels: Readonly<Record<string, Values>> = {
  "nvidia.com/gpu.product": products,
  "amd.com/gpu.product-name": products,
  "cloud.google.com/gke-accelerator": gke,
  "cloud.google.com/gke-tpu-accelerator": gke,
  "karpenter.k8s.aws/instance-gpu-name": karpenter,
  "gpu.nvidia.com/model": coreWeave,
  "node.kubernetes.io/instance-type": instances,
};

/** The part of a pod that selects nodes and devices. */
export interface Selecting {
  readonly nodeSelector?: unknown;
  readonly affinity?: unknown;
  readonly containers: ReadonlyArray<{ readonly resources?: unknown }>;
}

/** Returns the only accelerator on which a pod may run; undefined if it is unknown. */
export function acceleratorOfPod(pod: Selecting): AcceleratorType | undefined {
  const slice = sliceOf(pod);
  const found = new Set<AcceleratorName>();
  for (const [label, values] of Object.entries(labels)) {
    const own = [...new Set(valuesOf(pod, label).map((value) => nameOf(values, value)))];
    const [only] = own;
    if (own.length === 1 && only !== undefined) found.add(only);
  }
  const [name] = found;
  if (found.size > 1) return undefined;
  if (slice === undefined) return name === undefined ? undefined : acceleratorTypes[name];
  const names = Object.keys(acceleratorTypes) as AcceleratorName[];
  const slices = names.filter((each) => acceleratorTypes[each].resource === slice);
  const ofGpu = slices.filter((each) => name === undefined || each.startsWith(`${name}-`));
  return ofGpu.length === 1 && ofGpu[0] !== undefined ? acceleratorTypes[ofGpu[0]] : undefined;
}

const nameOf = (values: Values, text: string) =>
  values.find(([pattern]) => pattern.test(text))?.[1];

/** Returns the resource of a MIG instance that a container requests. */
function sliceOf({ containers }: Selecting): string | undefined {
  for (const { resources } of containers) {
    const { limits } = (resources ?? {}) as { readonly limits?: unknown };
    const slice = Object.keys((limits ?? {}) as object).find((name) =>
      name.startsWith("nvidia.com/mig-"),
    );
    if (slice !== undefined) return slice;
  }
  return undefined;
}

/**
 * Returns the values that a pod accepts for a label, from its selector, otherwise from the terms of its required
 * affinity.
 */
function valuesOf({ nodeSelector, affinity }: Selecting, label: string): string[] {
  const selected = (nodeSelector as Record<string, unknown> | undefined)?.[label];
  if (typeof selected === "string") return [selected];
  const { nodeAffinity } = (affinity ?? {}) as { readonly nodeAffinity?: Affinity };
  const terms =
    nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const accepted = terms.map(
    ({ matchExpressions = [] }) =>
      matchExpressions.find(({ key, operator }) => key === label && operator === "In")?.values,
  );
  // A term without the label accepts every node.
  return accepted.some((values) => values === undefined) ? [] : (accepted.flat() as string[]);
}

interface Affinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: {
    readonly nodeSelectorTerms?: ReadonlyArray<{
      readonly matchExpressions?: ReadonlyArray<{
        readonly key?: unknown;
        readonly operator?: unknown;
        readonly values?: readonly string[];
      }>;
    }>;
  };
}
