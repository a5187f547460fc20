import type { AcceleratorType } from "./accelerator.ts";
import { nvidia } from "./nvidia.ts";
import { otherMakers } from "./other-makers.ts";

/** Accelerators by the name that programs write: `accelerator: "h100-sxm"`. */
export const acceleratorTypes: Readonly<Record<AcceleratorName, AcceleratorType>> = {
  ...nvidia,
  ...otherMakers,
};

export type AcceleratorName = keyof typeof nvidia | keyof typeof otherMakers;

export const acceleratorNames = [
  ...Object.keys(nvidia),
  ...Object.keys(otherMakers),
] as AcceleratorName[];

/** Accelerators that clouds and vendors sell for serving today: hints name these before others. */
export const usualAccelerators: readonly AcceleratorName[] = [
  "h100-sxm",
  "h200-sxm",
  "l40s",
  "h100-pcie",
  "h100-nvl",
  "b200-sxm",
  "b300-sxm",
  "gb200",
  "gb300",
  "a100-sxm-80gb",
  "a100-sxm-40gb",
  "l4",
  "a10g",
  "mi300x",
  "mi325x",
  "mi355x",
  "gaudi3",
  "tpu-v5e",
  "tpu-v6e",
  "ascend-910b",
];

/** Returns whether an accelerator is the other one, or a slice of it. */
export const isPartOf = (name: AcceleratorName, whole: AcceleratorName): boolean =>
  name === whole || name.startsWith(`${whole}-`);

/** Returns whether an accelerator is a slice of a device, such as a MIG instance. */
export const isSlice = (name: AcceleratorName): boolean =>
  acceleratorTypes[name].resource?.startsWith("nvidia.com/mig-") === true;
