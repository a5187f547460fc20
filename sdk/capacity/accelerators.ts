import { isAccelerator } from "../spec/kubernetes-words.ts";
import type { PodSpec } from "../spec/role.ts";
import { podResources } from "../topology/pod-resources.ts";
import { toUnits } from "../topology/quantity.ts";

/** Accelerators that one pod occupies, of whatever make: what the scheduler reserves for it. */
export function acceleratorsOfPod(spec: PodSpec): number {
  let count = 0;
  for (const [resource, quantity] of podResources(spec)) {
    if (isAccelerator(resource)) count += toUnits(quantity);
  }
  return count;
}

/** The accelerator resources that one pod names. */
export function acceleratorKindsOf(spec: PodSpec): string[] {
  return [...podResources(spec)]
    .filter(([resource, quantity]) => isAccelerator(resource) && quantity.nanos > 0n)
    .map(([resource]) => resource);
}
