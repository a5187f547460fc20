import type { AcceleratorName } from "../../sdk/engines/accelerators/index.ts";

/** A machine type of a GPU pool, by its name in the cloud. */
export interface Machine {
  readonly cpus: number;
  readonly memoryGiB: number;
  readonly accelerator: AcceleratorName;
  readonly gpus: number;
  /** Page of the cloud with these figures. */
  readonly source: string;
}

export const machines: Readonly<Record<string, Machine>> = {
  "g2-standard-8": {
    ...{ cpus: 8, memoryGiB: 32, accelerator: "l4", gpus: 1 },
    source: "https://docs.cloud.google.com/compute/docs/accelerator-optimized-machines",
  },
  "g6.2xlarge": {
    ...{ cpus: 8, memoryGiB: 32, accelerator: "l4", gpus: 1 },
    source: "https://docs.aws.amazon.com/ec2/latest/instancetypes/ac.html",
  },
  Standard_NC24ads_A100_v4: {
    ...{ cpus: 24, memoryGiB: 220, accelerator: "a100-pcie-80gb", gpus: 1 },
    source:
      "https://learn.microsoft.com/en-us/azure/virtual-machines/sizes/gpu-accelerated/nca100v4-series",
  },
};

/**
 * Share of a machine's CPU and memory that pods get at least: kubelets, daemons and the kernel use the rest. GKE reserves up to a
 * quarter of the first 4 GiB and less of the rest; the other clouds reserve less.
 */
export const allocatableShare = 0.75;
