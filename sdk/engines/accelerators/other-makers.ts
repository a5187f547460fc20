import type { AcceleratorType } from "./accelerator.ts";

/** AMD's GPUs. Source: ROCm's documentation. */
const amd = {
  mi210: rocm("MI210", 63.98, 8),
  mi250x: rocm("MI250X, one of two dies", 63.98, 16),
  mi300x: rocm("MI300X", 191.98, 8),
  mi325x: rocm("MI325X", 255.98, 8),
  mi350x: rocm("MI350X", 287.98, 8),
  mi355x: rocm("MI355X", 287.98, 8),
} as const satisfies Record<string, AcceleratorType>;

function rocm(title: string, memoryGiB: number, perNode: number): AcceleratorType {
  const link = "infinity-fabric";
  return { title, platform: "rocm", resource: "amd.com/gpu", memoryGiB, perNode, link };
}

/** Devices of other makers. Source: pages of the makers and of the clouds that offer them. */
const others = {
  gaudi2: {
    title: "Gaudi 2",
    platform: "gaudi",
    resource: "habana.ai/gaudi",
    memoryGiB: 94.6,
    perNode: 8,
    link: "ethernet",
  },
  gaudi3: {
    title: "Gaudi 3",
    platform: "gaudi",
    resource: "habana.ai/gaudi",
    memoryGiB: 126.5,
    perNode: 8,
    link: "ethernet",
  },
  "tpu-v5e": {
    title: "TPU v5e",
    platform: "tpu",
    resource: "google.com/tpu",
    memoryGiB: 15.75,
    perNode: 8,
    link: "ici",
  },
  "tpu-v5p": {
    title: "TPU v5p",
    platform: "tpu",
    resource: "google.com/tpu",
    memoryGiB: 95.7,
    perNode: 4,
    link: "ici",
  },
  "tpu-v6e": {
    title: "TPU v6e",
    platform: "tpu",
    resource: "google.com/tpu",
    memoryGiB: 31.2,
    perNode: 8,
    link: "ici",
  },
  "ascend-910b": {
    title: "Ascend 910B, 64 GB",
    platform: "ascend",
    resource: "huawei.com/Ascend910",
    memoryGiB: 60.9,
    perNode: 8,
    link: "hccs",
  },
  cpu: {
    title: "CPU",
    platform: "cpu",
    // Pods request the memory that the model needs.
    memoryGiB: Number.POSITIVE_INFINITY,
    perNode: 1,
    link: "none",
  },
} as const satisfies Record<string, AcceleratorType>;

export const otherMakers = { ...amd, ...others };
