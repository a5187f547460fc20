import { isAccelerator } from "../../kubernetes/values/accelerators.ts";
import { type Quantity, toUnits } from "../../kubernetes/values/quantity.ts";
import type { ResourceList } from "../engines/accelerators/pod-resources.ts";
import { type ClusterNode, isOpen } from "./cluster-node.ts";
import type { FillingNode, PodDemand } from "./gpu-nodes.ts";
import { hostPortsOf } from "./host-ports.ts";
import {
  allocatableOf,
  type PlacedSpec,
  placementObstacles,
  resourceObstacles,
} from "./node-fit.ts";

/** A node of a cluster that fills up as pods are placed on it. No pod runs there at first. */
export class KnownNode implements FillingNode {
  readonly pods: PodDemand[] = [];
  readonly #node: ClusterNode;
  readonly #total: ResourceList;
  readonly #free: Map<string, Quantity>;
  readonly #ports: string[] = [];
  readonly #accepts = new Map<PlacedSpec, boolean>();
  readonly #named: ReadonlySet<string>;
  readonly #isOpen: boolean;

  /** @param named resources that count accelerators, in addition to the known ones */
  constructor(node: ClusterNode, named: ReadonlySet<string>) {
    this.#node = node;
    this.#named = named;
    this.#isOpen = isOpen(node);
    this.#total = allocatableOf(node);
    this.#free = new Map(this.#total);
  }

  get idle(): ReadonlyMap<string, number> {
    return this.#isOpen ? devicesIn(this.#free, this.#named) : new Map();
  }

  takes(pod: PodDemand): boolean {
    if (!this.#acceptsSpec(pod.spec)) return false;
    if (resourceObstacles(pod.requests, this.#free).length > 0) return false;
    return !hostPortsOf(pod.spec).some((port) => this.#ports.includes(port));
  }

  #acceptsSpec(spec: PlacedSpec): boolean {
    const known = this.#accepts.get(spec);
    if (known !== undefined) return known;
    const accepts = placementObstacles(spec, this.#node).length === 0;
    this.#accepts.set(spec, accepts);
    return accepts;
  }

  /** The fullest of the resources that decide: the requested accelerators, otherwise cpu and memory. */
  fullness({ requests }: PodDemand): number {
    const devices = [...requests.keys()].filter((each) => isDeviceOf(each, this.#named));
    const shares = (devices.length > 0 ? devices : ["cpu", "memory"]).map((resource) => {
      const total = this.#total.get(resource)?.nanos ?? 0n;
      const left = (this.#free.get(resource)?.nanos ?? 0n) - (requests.get(resource)?.nanos ?? 0n);
      return total === 0n ? 1 : 1 - Number(left) / Number(total);
    });
    return shares.reduce((sum, share) => sum + share, 0) / shares.length;
  }

  add(pod: PodDemand): void {
    this.#take(pod, -1n);
    this.#ports.push(...hostPortsOf(pod.spec));
    this.pods.push(pod);
  }

  removeLast(): void {
    const pod = this.pods.pop();
    if (pod === undefined) return;
    this.#take(pod, 1n);
    this.#ports.splice(this.#ports.length - hostPortsOf(pod.spec).length);
  }

  #take({ requests }: PodDemand, sign: 1n | -1n): void {
    for (const [resource, { nanos }] of requests) {
      const before = this.#free.get(resource);
      if (before !== undefined)
        this.#free.set(resource, { ...before, nanos: before.nanos + sign * nanos });
    }
  }
}

/** Returns the accelerators in a list of resources, each in its own unit. */
export const devicesIn = (
  resources: ResourceList,
  named: ReadonlySet<string>,
): Map<string, number> =>
  new Map(
    [...resources]
      .filter(([resource]) => isDeviceOf(resource, named))
      .map(([resource, quantity]) => [resource, toUnits(quantity)]),
  );

const isDeviceOf = (resource: string, named: ReadonlySet<string>) =>
  named.has(resource) || isAccelerator(resource);
