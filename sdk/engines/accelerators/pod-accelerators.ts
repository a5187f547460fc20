import { acceleratorResource, isAccelerator } from "../../../kubernetes/values/accelerators.ts";
import { type Quantity, toUnits } from "../../../kubernetes/values/quantity.ts";
import type { NamedAccelerator } from "./named-accelerator.ts";
import {
  containerResources,
  podResources,
  type Requesting,
  type RequestingPod,
  type ResourceList,
} from "./pod-resources.ts";

/** Number of accelerators; undefined if there is at least one but the number is unknown, as with a DRA claim. */
export type Devices = number | undefined;

/** The unit: devices, or ranks of an engine that can run on them. */
type Measure = "devices" | "ranks";

/** Whether a resource counts accelerators: it is known to do so, or a service declares it. */
export const isDevice = (resource: string, named: readonly NamedAccelerator[]): boolean =>
  isAccelerator(resource) || named.some((each) => each.resource === resource);

/** Accelerators in a list of resources, of any maker. */
const acceleratorsIn = (
  resources: ResourceList,
  named: readonly NamedAccelerator[],
  measure: Measure,
): Devices => {
  const asked = [...resources].filter(
    ([resource, { nanos }]) => nanos > 0n && isDevice(resource, named),
  );
  const whole = asked.filter(([resource]) => !isShare(resource, named));
  const counts = (whole.length > 0 ? whole : asked).map(([resource, quantity]) =>
    countOf(resource, quantity, named, measure),
  );
  // Several shares, such as memory and percentages, describe the same devices.
  return whole.length > 0 ? sumOf(counts) : largestOf(counts);
};

function isShare(resource: string, named: readonly NamedAccelerator[]): boolean {
  return (
    named.every((each) => each.resource !== resource) &&
    acceleratorResource(resource)?.perDevice !== undefined
  );
}

function countOf(
  resource: string,
  quantity: Quantity,
  named: readonly NamedAccelerator[],
  measure: Measure,
): Devices {
  const own = named.find((each) => each.resource === resource);
  const known = acceleratorResource(resource);
  const perDevice = own?.perDevice ?? known?.perDevice ?? 1;
  if (perDevice === "unknown") return undefined;
  const devices = Math.ceil(toUnits(quantity) / perDevice);
  if (measure === "devices") return devices;
  const ranks = own?.ranksPerDevice ?? (known?.ranks === "unknown" ? undefined : 1);
  return ranks && devices * ranks;
}

/**
 * Returns the accelerators of several containers or pods. If some of the accelerators can be counted, only their
 * numbers are added.
 */
export function sumOf(counts: readonly Devices[]): Devices {
  const known = counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
  return known === 0 && counts.includes(undefined) ? undefined : known;
}

const largestOf = (counts: readonly Devices[]): Devices =>
  counts.length === 0 || counts.some((count) => count !== undefined)
    ? Math.max(0, ...counts.map((count) => count ?? 0))
    : undefined;

/**
 * Whether a container uses claims of its pod (dynamic resource allocation). The purpose of a claim is in the claim:
 * next to counted accelerators, it is assumed to be for other devices, such as network cards.
 */
export const hasClaims = ({ resources }: Requesting): boolean => {
  const { claims } = (resources ?? {}) as { readonly claims?: unknown };
  return Array.isArray(claims) && claims.length > 0;
};

/** Returns the accelerators that a container requests. */
export function acceleratorsOf(
  container: Requesting,
  named: readonly NamedAccelerator[] = [],
  measure: Measure = "devices",
): Devices {
  const counted = acceleratorsIn(containerResources(container), named, measure);
  return counted === 0 && hasClaims(container) ? undefined : counted;
}

/** Returns the accelerators that the scheduler reserves for one pod. */
export function acceleratorsOfPod(
  spec: RequestingPod,
  named: readonly NamedAccelerator[] = [],
  measure: Measure = "devices",
): Devices {
  const counted = acceleratorsIn(podResources(spec), named, measure);
  return counted === 0 && spec.containers.some(hasClaims) ? undefined : counted;
}
