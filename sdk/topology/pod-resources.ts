import {
  add,
  larger,
  parseQuantity,
  type Quantity,
  times,
  zero,
} from "../../kubernetes/values/quantity.ts";
import type { Container, PodSpec } from "../spec/role.ts";

/** Resource name to quantity. */
export type ResourceList = ReadonlyMap<string, Quantity>;

/**
 * What the scheduler reserves for one pod: the sum over its containers and sidecars, or what the hungriest
 * init container needs beside the sidecars started before it, whichever is larger, plus the pod's overhead.
 * A container asks for its requests, and for its limits where it has no request. Values that are not known
 * yet count as absent.
 */
export function podResources(spec: PodSpec): ResourceList {
  const main = sum(spec.containers.map(containerResources));
  let sidecars: ResourceList = new Map();
  let startup: ResourceList = new Map();
  for (const init of spec.initContainers ?? []) {
    const own = containerResources(init);
    if (init.restartPolicy === "Always") {
      sidecars = combine(sidecars, own, add);
      startup = combine(startup, sidecars, larger);
    } else {
      startup = combine(startup, combine(sidecars, own, add), larger);
    }
  }
  const running = combine(main, sidecars, add);
  return combine(combine(running, startup, larger), quantities(spec.overhead), add);
}

/** Requests of a container, else its limits, per resource. */
export function containerResources(container: Container): ResourceList {
  const { limits, requests } = container.resources ?? {};
  return new Map([...quantities(limits), ...quantities(requests)]);
}

/** Quantities by resource; those that cannot be read are left out. */
export function quantities(written: unknown): ResourceList {
  const known = new Map<string, Quantity>();
  if (written === null || typeof written !== "object") return known;
  for (const [resource, value] of Object.entries(written)) {
    const quantity = parseQuantity(value);
    if (quantity !== undefined) known.set(resource, quantity);
  }
  return known;
}

export function sum(lists: Iterable<ResourceList>): ResourceList {
  let total: ResourceList = new Map();
  for (const list of lists) total = combine(total, list, add);
  return total;
}

export function scaled(list: ResourceList, factor: number): ResourceList {
  return new Map([...list].map(([resource, quantity]) => [resource, times(quantity, factor)]));
}

function combine(
  a: ResourceList,
  b: ResourceList,
  join: (a: Quantity, b: Quantity) => Quantity,
): ResourceList {
  const joined = new Map(a);
  for (const [resource, quantity] of b)
    joined.set(resource, join(a.get(resource) ?? zero, quantity));
  return joined;
}
