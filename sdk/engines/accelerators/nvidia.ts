import type { AcceleratorType, Capability } from "./accelerator.ts";

/**
 * NVIDIA's data center GPUs, and the consumer GPUs that are used for serving. Memory is the total that PyTorch reports
 * ("GPU 0 has a total capacity of 79.11 GiB"), which is less than the marketed size. Source of the capabilities:
 * developer.nvidia.com/cuda-gpus.
 */
const gpu = (
  title: string,
  memoryGiB: number,
  perNode: number,
  capability: Capability,
  link: AcceleratorType["link"] = "pcie",
): AcceleratorType & { capability: Capability } => ({
  title,
  platform: "cuda",
  resource: "nvidia.com/gpu",
  memoryGiB,
  perNode,
  capability,
  link,
});

const ampere: Capability = [8, 0];
const hopper: Capability = [9, 0];
const blackwell: Capability = [10, 0];

const whole = {
  "p100-pcie-16gb": gpu("P100 PCIe 16 GB", 15.89, 4, [6, 0]),
  "v100-sxm-16gb": gpu("V100 SXM2 16 GB", 15.77, 8, [7, 0], "nvlink"),
  "v100-sxm-32gb": gpu("V100 SXM2 32 GB", 31.73, 8, [7, 0], "nvlink"),
  t4: gpu("T4", 14.56, 4, [7, 5]),
  "a100-sxm-40gb": gpu("A100 SXM4 40 GB", 39.39, 8, ampere, "nvlink"),
  "a100-sxm-80gb": gpu("A100 SXM4 80 GB", 79.15, 8, ampere, "nvlink"),
  "a100-pcie-80gb": gpu("A100 PCIe 80 GB", 79.15, 8, ampere),
  a30: gpu("A30", 23.5, 4, ampere),
  a10: gpu("A10", 21.99, 4, [8, 6]),
  a10g: gpu("A10G", 21.99, 8, [8, 6]),
  a40: gpu("A40", 44.43, 8, [8, 6]),
  "rtx-3090": gpu("RTX 3090", 23.57, 4, [8, 6]),
  "rtx-a6000": gpu("RTX A6000", 47.43, 8, [8, 6]),
  l4: gpu("L4", 22.03, 8, [8, 9]),
  l40: gpu("L40", 44.39, 8, [8, 9]),
  l40s: gpu("L40S", 44.39, 8, [8, 9]),
  "rtx-4090": gpu("RTX 4090", 23.51, 8, [8, 9]),
  "rtx-6000-ada": gpu("RTX 6000 Ada", 47.41, 8, [8, 9]),
  "h100-sxm": gpu("H100 SXM 80 GB", 79.11, 8, hopper, "nvlink"),
  "h100-pcie": gpu("H100 PCIe 80 GB", 79.11, 8, hopper),
  "h100-nvl": gpu("H100 NVL 94 GB", 93.01, 8, hopper, "nvlink"),
  h20: gpu("H20 96 GB", 95.0, 8, hopper, "nvlink"),
  "h200-sxm": gpu("H200 SXM 141 GB", 139.72, 8, hopper, "nvlink"),
  gh200: gpu("GH200 96 GB", 94.5, 1, hopper, "nvlink"),
  "b200-sxm": gpu("B200 180 GB", 178.35, 8, blackwell, "nvlink"),
  gb200: gpu("GB200 186 GB", 184.3, 4, blackwell, "nvlink"),
  "b300-sxm": gpu("B300 288 GB", 267.7, 8, [10, 3], "nvlink"),
  gb300: gpu("GB300 288 GB", 276.6, 4, [10, 3], "nvlink"),
  "rtx-5090": gpu("RTX 5090", 31.36, 8, [12, 0]),
  "rtx-pro-6000": gpu("RTX PRO 6000 Blackwell", 94.97, 8, [12, 0]),
} as const satisfies Record<string, AcceleratorType>;

/** MIG profiles by GPU: docs.nvidia.com, MIG user guide, supported MIG profiles. */
const profiles = {
  "a100-sxm-40gb": ["1g.5gb", "1g.10gb", "2g.10gb", "3g.20gb", "4g.20gb"],
  "a100-sxm-80gb": ["1g.10gb", "1g.20gb", "2g.20gb", "3g.40gb", "4g.40gb"],
  "h100-sxm": ["1g.10gb", "1g.20gb", "2g.20gb", "3g.40gb", "4g.40gb"],
  "h200-sxm": ["1g.18gb", "1g.35gb", "2g.35gb", "3g.71gb", "4g.71gb"],
  "b200-sxm": ["1g.23gb", "1g.45gb", "2g.45gb", "3g.90gb", "4g.90gb"],
} as const satisfies Partial<Record<keyof typeof whole, readonly string[]>>;

type Profiles = typeof profiles;
type SliceName = {
  [Gpu in keyof Profiles]: `${Gpu}-${Profiles[Gpu][number]}`;
}[keyof Profiles];

/** An instance reports less memory than its profile names: 39.25 GiB for 3g.40gb, 9.5 GiB for 1g.10gb. */
const shareOfProfile = 0.95;

/** A slice of a GPU. The device plugin names the resource `nvidia.com/mig-1g.10gb`; a pod gets one slice. */
const slices = Object.fromEntries(
  Object.entries(profiles).flatMap(([name, its]) =>
    its.map((profile): [string, AcceleratorType] => {
      const { title, capability } = whole[name as keyof typeof whole];
      const gigabytes = Number(/\.(\d+)gb$/.exec(profile)?.[1]);
      return [
        `${name}-${profile}`,
        {
          ...gpu(`${title}, MIG ${profile}`, gigabytes * shareOfProfile, 1, capability, "none"),
          resource: `nvidia.com/mig-${profile}`,
        },
      ];
    }),
  ),
) as Record<SliceName, AcceleratorType>;

export const nvidia = { ...whole, ...slices };
