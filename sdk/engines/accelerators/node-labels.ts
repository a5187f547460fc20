/** Labels by which clouds and device plugins name the accelerators of nodes, read in both directions. */

import { type AcceleratorName, acceleratorTypes, isSlice } from "./index.ts";

interface NodeLabel {
  readonly key: string;
  /** Component that sets the label, for messages. */
  readonly setBy: string;
  /** Documentation of the label and its values. */
  readonly source: string;
  /** Values by accelerator. `{a,b}` is one value for each of its parts. */
  readonly values: { readonly [Name in AcceleratorName]?: readonly string[] };
}

const ec2Sizes = "{xlarge,2xlarge,4xlarge,8xlarge,12xlarge,16xlarge,24xlarge,48xlarge}";

export const nodeLabels = [
  {
    key: "nvidia.com/gpu.product",
    setBy: "NVIDIA's GPU feature discovery",
    source: "github.com/NVIDIA/k8s-device-plugin, docs/gpu-feature-discovery",
    values: {
      "p100-pcie-16gb": ["Tesla-P100-PCIE-16GB"],
      "v100-sxm-16gb": ["Tesla-V100-SXM2-16GB"],
      "v100-sxm-32gb": ["Tesla-V100-SXM2-32GB", "Tesla-V100-SXM3-32GB"],
      t4: ["Tesla-T4", "NVIDIA-Tesla-T4"],
      // Drivers before 470 leave out the maker.
      "a100-sxm-40gb": ["NVIDIA-A100-SXM4-40GB", "A100-SXM4-40GB"],
      "a100-sxm-80gb": ["NVIDIA-A100-SXM4-80GB", "A100-SXM4-80GB"],
      "a100-pcie-80gb": ["NVIDIA-A100-80GB-PCIe"],
      a30: ["NVIDIA-A30"],
      a10: ["NVIDIA-A10"],
      a10g: ["NVIDIA-A10G"],
      a40: ["NVIDIA-A40"],
      "rtx-3090": ["NVIDIA-GeForce-RTX-3090"],
      "rtx-a6000": ["NVIDIA-RTX-A6000"],
      l4: ["NVIDIA-L4"],
      l40: ["NVIDIA-L40"],
      l40s: ["NVIDIA-L40S"],
      "rtx-4090": ["NVIDIA-GeForce-RTX-4090"],
      "rtx-6000-ada": ["NVIDIA-RTX-6000-Ada-Generation"],
      "h100-sxm": ["NVIDIA-H100-80GB-HBM3"],
      "h100-pcie": ["NVIDIA-H100-PCIe"],
      "h100-nvl": ["NVIDIA-H100-NVL"],
      h20: ["NVIDIA-H20"],
      "h200-sxm": ["NVIDIA-H200", "NVIDIA-H200-NVL"],
      gh200: ["NVIDIA-GH200-480GB"],
      "b200-sxm": ["NVIDIA-B200"],
      gb200: ["NVIDIA-GB200"],
      "b300-sxm": ["NVIDIA-B300-SXM6-AC"],
      gb300: ["NVIDIA-GB300"],
      "rtx-5090": ["NVIDIA-GeForce-RTX-5090"],
      "rtx-pro-6000": [
        "NVIDIA-RTX-PRO-6000-Blackwell-{Server-Edition,Workstation-Edition,Max-Q-Workstation-Edition}",
      ],
    },
  },
  {
    key: "amd.com/gpu.product-name",
    setBy: "AMD's node labeller",
    source: "github.com/ROCm/k8s-device-plugin, cmd/k8s-node-labeller",
    values: {
      mi210: ["AMD_Instinct_MI210"],
      mi250x: ["AMD_Instinct_MI250X"],
      mi300x: ["AMD_Instinct_MI300X{,_OAM,_VF}"],
      mi325x: ["AMD_Instinct_MI325X{,_OAM,_VF}", "AMD_Instinct_MI325_OAM"],
      mi350x: ["AMD_Instinct_MI350X{,_OAM,_VF}"],
      mi355x: ["AMD_Instinct_MI355X{,_OAM,_VF}"],
    },
  },
  {
    key: "amd.com/gpu.device-id",
    setBy: "AMD's node labeller",
    source: "pci-ids.ucw.cz, devices of vendor 1002; virtual functions have ids of their own",
    values: {
      mi210: ["740f"],
      mi250x: ["7408", "740c"],
      mi300x: ["74a1", "74b5"],
      mi325x: ["74a5", "74b9"],
      mi350x: ["75a0", "75b0"],
      mi355x: ["75a3", "75b3"],
    },
  },
  {
    key: "cloud.google.com/gke-accelerator",
    setBy: "GKE",
    source: "cloud.google.com/kubernetes-engine/docs/how-to/gpus and concepts/gpus",
    values: {
      "p100-pcie-16gb": ["nvidia-tesla-p100"],
      "v100-sxm-16gb": ["nvidia-tesla-v100"],
      t4: ["nvidia-tesla-t4"],
      "a100-sxm-40gb": ["nvidia-tesla-a100"],
      "a100-sxm-80gb": ["nvidia-a100-80gb"],
      l4: ["nvidia-l4"],
      "h100-sxm": ["nvidia-h100{,-mega}-80gb"],
      "h200-sxm": ["nvidia-h200-141gb"],
      "b200-sxm": ["nvidia-b200"],
      gb200: ["nvidia-gb200"],
      gb300: ["nvidia-gb300"],
      "rtx-pro-6000": ["nvidia-rtx-pro-6000"],
    },
  },
  {
    key: "cloud.google.com/gke-tpu-accelerator",
    setBy: "GKE",
    source: "cloud.google.com/kubernetes-engine/docs/concepts/tpus",
    values: {
      "tpu-v5e": ["tpu-v5-lite-{podslice,device}"],
      "tpu-v5p": ["tpu-v5p-slice"],
      "tpu-v6e": ["tpu-v6e-{slice,device}"],
    },
  },
  ...["karpenter.k8s.aws/instance-gpu-name", "eks.amazonaws.com/instance-gpu-name"].map((key) => ({
    key,
    setBy: key.startsWith("eks") ? "EKS Auto Mode" : "Karpenter on AWS",
    source: "docs.aws.amazon.com/eks/latest/userguide/ml-workload-placement.html",
    // `a100` and `v100` are of two memory sizes.
    values: {
      t4: ["t4"],
      a10g: ["a10g"],
      l4: ["l4"],
      l40s: ["l40s"],
      "h100-sxm": ["h100"],
      "h200-sxm": ["h200"],
      "b200-sxm": ["b200"],
      "b300-sxm": ["b300"],
    },
  })),
  {
    key: "gpu.nvidia.com/model",
    setBy: "CoreWeave",
    source: "docs.coreweave.com, labels of GPU nodes",
    values: {
      l40: ["L40"],
      l40s: ["L40S"],
      "a100-sxm-80gb": ["A100_NVLINK_80GB"],
      "a100-pcie-80gb": ["A100_PCIE_80GB"],
      "h100-sxm": ["H100", "H100_NVLINK_80GB"],
      "h100-pcie": ["H100_PCIE"],
      "h200-sxm": ["H200"],
      "b200-sxm": ["B200"],
      gb200: ["GB200"],
      "b300-sxm": ["B300"],
      gb300: ["GB300"],
    },
  },
  {
    key: "node.kubernetes.io/instance-type",
    setBy: "the cloud's controller (EKS and AKS have no other label of the model)",
    source:
      "aws.amazon.com/ec2/instance-types; learn.microsoft.com/azure/virtual-machines/sizes/overview; cloud.google.com/compute/docs/gpus. Sizes with a part of a GPU are left out.",
    values: {
      t4: [
        "g4dn.{xlarge,2xlarge,4xlarge,8xlarge,12xlarge,16xlarge,metal}",
        "Standard_NC{4,8,16,64}as_T4_v3",
      ],
      a10g: [`g5.${ec2Sizes}`],
      a10: ["Standard_NV{36ads,36adms,72ads}_A10_v5"],
      l4: [`g6.${ec2Sizes}`, "gr6.{4xlarge,8xlarge}", "g2-standard-{4,8,12,16,24,32,48,96}"],
      l40s: [`g6e.${ec2Sizes}`],
      "rtx-pro-6000": [
        "g7e.{2xlarge,4xlarge,8xlarge,12xlarge,24xlarge,48xlarge}",
        "g4-standard-{48,96,192,384}",
      ],
      "v100-sxm-16gb": ["p3.{2xlarge,8xlarge,16xlarge}"],
      "v100-sxm-32gb": ["p3dn.24xlarge", "Standard_ND40rs_v2"],
      "a100-sxm-40gb": [
        "p4d.24xlarge",
        "a2-highgpu-{1,2,4,8}g",
        "a2-megagpu-16g",
        "Standard_ND96asr_v4",
      ],
      "a100-sxm-80gb": ["p4de.24xlarge", "a2-ultragpu-{1,2,4,8}g", "Standard_ND96amsr_A100_v4"],
      "a100-pcie-80gb": ["Standard_NC{24,48,96}ads_A100_v4"],
      "h100-sxm": [
        "p5.{4xlarge,48xlarge}",
        "a3-highgpu-{1,2,4,8}g",
        "a3-{mega,edge}gpu-8g",
        "Standard_ND96isr_H100_v5",
      ],
      "h100-nvl": ["Standard_NC{40ads,80adis}_H100_v5", "Standard_NCC40ads_H100_v5"],
      "h200-sxm": ["p5e{,n}.48xlarge", "a3-ultragpu-8g", "Standard_ND96isr_H200_v5"],
      "b200-sxm": ["p6-b200.48xlarge", "a4-highgpu-8g"],
      "b300-sxm": ["p6-b300.48xlarge"],
      gb200: ["p6e-gb200.36xlarge", "a4x-highgpu-4g", "Standard_ND128isr_NDR_GB200_v6"],
      gb300: ["Standard_ND128isr_GB300_v6"],
      mi300x: ["Standard_ND96isr_MI300X_v5"],
    },
  },
] as const satisfies readonly NodeLabel[];

/** Keys of the labels. */
export const nodeLabelKeys: readonly string[] = nodeLabels.map(({ key }) => key);

/** A label of a node that a pod requires, with the accepted values. */
export interface RequiredLabel {
  readonly key: string;
  readonly values: readonly string[];
}

/** GKE names the MIG profile of a node's GPUs in a label of its own. */
const gkePartition = "cloud.google.com/gke-gpu-partition-size";

/**
 * Returns the labels of nodes with an accelerator: alternatives, each with the labels that a node has together. Empty
 * if no label names the accelerator.
 *
 * @param isShared whether the pods use a share of a device, so that nodes with shared devices are accepted
 */
export function labelsOfNodesWith(
  name: AcceleratorName,
  isShared = false,
): ReadonlyArray<readonly RequiredLabel[]> {
  const { gpu, profile } = partsOf(name);
  return (nodeLabels as readonly NodeLabel[]).flatMap(({ key, values }) => {
    const whole = (values[gpu] ?? []).flatMap(expanded);
    if (whole.length === 0) return [];
    if (key === "nvidia.com/gpu.product") {
      if (profile === undefined)
        return [[{ key, values: isShared ? [...whole, ...whole.map(shared)] : whole }]];
      const slices = whole.map((value) => `${value}-MIG-${profile}`);
      // The strategy "single" changes the product; "mixed" has a product for each profile.
      return [
        [{ key, values: slices }],
        [{ key: `nvidia.com/mig-${profile}.product`, values: slices }],
      ];
    }
    if (profile === undefined) return [[{ key, values: whole }]];
    return key === "cloud.google.com/gke-accelerator"
      ? [
          [
            { key, values: whole },
            { key: gkePartition, values: [profile] },
          ],
        ]
      : [];
  });
}

/**
 * Returns the accelerators that are named by the labels of a node, or by the labels in a term that selects nodes.
 *
 * @param labels key and value of each label; a key may have several values
 */
export function acceleratorsOfLabels(
  labels: ReadonlyArray<readonly [key: string, value: string]>,
): AcceleratorName[] {
  const profile = labels.find(([key]) => key === gkePartition)?.[1];
  const named = labels.flatMap(([key, value]) => {
    const name = byLabel.get(key)?.get(value.replace(/-SHARED$/, ""));
    if (name === undefined) return [];
    const slice = `${name}-${profile}`;
    return slice in acceleratorTypes ? [slice as AcceleratorName] : [name];
  });
  return [...new Set(named)];
}

const shared = (product: string) => `${product}-SHARED`;

function partsOf(name: AcceleratorName): { gpu: AcceleratorName; profile?: string } {
  if (!isSlice(name)) return { gpu: name };
  const profile = acceleratorTypes[name].resource?.replace("nvidia.com/mig-", "") ?? "";
  return { gpu: name.slice(0, -profile.length - 1) as AcceleratorName, profile };
}

/** Expands the braces of a string: `g5.{a,b}` becomes `g5.a` and `g5.b`. A string has at most one pair. */
function expanded(text: string): string[] {
  const [, before = "", parts, after = ""] = /^(.*)\{(.*)\}(.*)$/.exec(text) ?? [];
  return parts === undefined ? [text] : parts.split(",").map((part) => before + part + after);
}

const byLabel = new Map<string, Map<string, AcceleratorName>>();
for (const name of Object.keys(acceleratorTypes) as AcceleratorName[])
  for (const alternative of labelsOfNodesWith(name)) {
    const [first] = alternative;
    // A partition is named by two labels; the first one alone names the whole GPU.
    if (first === undefined || alternative.length > 1) continue;
    const values = byLabel.get(first.key) ?? new Map();
    for (const value of first.values) values.set(value, name);
    byLabel.set(first.key, values);
  }
