import {
  add,
  larger,
  parseQuantity,
  type Quantity,
  times,
  zero,
} from "../../../kubernetes/values/quantity.ts";
import { isMap } from "../../../kubernetes/values/records.ts";

/** A container that requests resources, in a spec or in an object of any author. */
export interface Requesting {
  readonly name?: unknown;
  readonly resources?: unknown;
}

/** A pod with such containers. */
export interface RequestingPod {
  readonly containers: readonly Requesting[];
  readonly initContainers?:
    | ReadonlyArray<Requesting & { readonly restartPolicy?: unknown }>
    | undefined;
  readonly overhead?: unknown;
}

/** Resource name to quantity. */
export type ResourceList = ReadonlyMap<string, Quantity>;

/**
 * Returns the resources that the scheduler reserves for one pod: the sum over its containers and sidecars, or, if
 * larger, the most that an init container needs together with the sidecars started before it; plus the pod's overhead.
 * A container without a request for a resource requests its limit. Values that are only known later count as absent.
 */
export function podResources(spec: RequestingPod): ResourceList {
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

/** Returns the requests of a container, or its limits for resources without a request. */
export function containerResources({ resources }: Requesting): ResourceList {
  const { limits, requests } = (isMap(resources) ? resources : {}) as Record<string, unknown>;
  return new Map([...quantities(limits), ...quantities(requests)]);
}

/** Returns quantities by resource. Invalid quantities are skipped. */
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
