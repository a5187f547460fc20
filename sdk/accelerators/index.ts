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

/** Returns whether an accelerator is a slice of a device, such as a MIG instance. */
export const isSlice = (name: AcceleratorName): boolean =>
  acceleratorTypes[name].resource?.startsWith("nvidia.com/mig-") === true;
