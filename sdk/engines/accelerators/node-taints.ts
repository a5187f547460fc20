import type { AcceleratorType, Platform } from "./accelerator.ts";

/** Toleration of a pod (core/v1 Toleration). */
export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
}

/**
 * Taints of node pools with accelerators, by the documentation of the clouds and device plugins: GKE taints its GPU and
 * TPU pools, EKS and the GPU operator use `nvidia.com/gpu`, and AKS `sku=gpu`. No other maker documents a taint.
 */
const taints: { readonly [P in Platform]?: readonly Toleration[] } = {
  cuda: [
    { key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" },
    { key: "sku", operator: "Equal", value: "gpu", effect: "NoSchedule" },
  ],
  rocm: [
    { key: "amd.com/gpu", operator: "Exists", effect: "NoSchedule" },
    { key: "sku", operator: "Equal", value: "gpu", effect: "NoSchedule" },
  ],
  tpu: [{ key: "google.com/tpu", operator: "Exists", effect: "NoSchedule" }],
};

/** Returns the tolerations of pods that use an accelerator. */
export const tolerationsFor = ({ platform }: AcceleratorType): readonly Toleration[] =>
  taints[platform] ?? [];
