import { isAccelerator } from "../../kubernetes/values/dns-label.ts";
import type { PodSpec } from "../spec/role.ts";
import { acceleratorsIn } from "../topology/engine-container.ts";
import { podResources } from "../topology/pod-resources.ts";

/** Accelerators that one pod occupies: what the scheduler reserves for it. */
export const acceleratorsOfPod = (spec: PodSpec): number => acceleratorsIn(podResources(spec));

/** The accelerator resources that one pod names. */
export function acceleratorKindsOf(spec: PodSpec): string[] {
  return [...podResources(spec)]
    .filter(([resource, quantity]) => isAccelerator(resource) && quantity.nanos > 0n)
    .map(([resource]) => resource);
}
