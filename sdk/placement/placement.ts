import type { Stack } from "../stack/stack.ts";
import { FillingNodes, type Packing, type PlacementNodes, type PodDemand } from "./gpu-nodes.ts";
import { firstReplicaFirst, gangOrder, podByPod, type StartOrder } from "./start-order.ts";
import { type StartingReplica, startingReplicas } from "./starting-replicas.ts";

/** A replica and the number of its pods that are placed. */
export interface PlacedReplica {
  readonly replica: StartingReplica;
  readonly scheduledPods: number;
}

export interface StackPlacement {
  /** Every replica that the schedulers place, in the order of the objects. */
  readonly replicas: readonly PlacedReplica[];
  /** Accelerators that stay free, by resource; the key of accelerators of unknown maker is empty. */
  readonly idle: ReadonlyMap<string, number>;
}

/** Conditions that change the result but are not in the objects. */
export interface Circumstances {
  readonly packing: Packing;
  /**
   * The pods that get accelerators first.
   *
   * - `others`: pods outside gangs, one by one, because they are bound while a gang waits for the last of its pods.
   * - `gangs`: gangs, and then pods outside them.
   * - `minima`: the minima of all gangs and one replica of every other workload, the largest pods first. If pod sizes
   *   divide node sizes, a minimum that does not fit in this order fits in no order.
   */
  readonly first: "others" | "gangs" | "minima";
  /**
   * Number of another possible outcome, in which pods have another order and other nodes than the scheduler prefers.
   * Default: the scheduler's preference.
   */
  readonly variant?: number;
}

/** The variants that are tried on nodes of a cluster. */
export const variants: readonly number[] = Array.from({ length: 16 }, (_, at) => at + 1);

/**
 * Returns the pods of a stack that start on empty nodes if all its pods exist and no other workload uses the nodes.
 */
export function placeStack(
  stack: Stack,
  nodes: PlacementNodes,
  { packing, first, variant }: Circumstances,
): StackPlacement {
  const replicas = startingReplicas(stack, packing);
  const random = variant === undefined ? undefined : numbersFrom(variant);
  const kinds = new Set(replicas.flatMap((replica) => replica.kinds));
  const filling = new FillingNodes(nodes, kinds, random);
  const scheduled = new Map<object, number>();
  const place = (pods: readonly PodDemand[]): boolean => {
    const placed = filling.placeAll(pods);
    if (placed)
      for (const { replica } of pods) scheduled.set(replica, (scheduled.get(replica) ?? 0) + 1);
    return placed;
  };
  const startFurther = ({ further }: StartOrder) => further.forEach(place);

  if (first === "minima") {
    const orders = [...gangOrders(replicas), ...workloadOrders(replicas)];
    const largestFirst = inOrder(orders, random).toSorted((a, b) => largestPod(b) - largestPod(a));
    const begun = new Set(largestFirst.filter(({ minimum }) => place(minimum)));
    for (const order of orders) if (begun.has(order)) startFurther(order);
  } else {
    const gangs = inOrder(gangOrders(replicas), random);
    const written = podByPod(replicas.filter(({ gang }) => gang === undefined));
    const others = { ...written, further: inOrder(written.further, random) };
    for (const order of first === "gangs" ? [...gangs, others] : [others, ...gangs])
      if (place(order.minimum)) startFurther(order);
  }
  return {
    replicas: replicas.map((replica) => ({
      replica,
      scheduledPods: (replica.pods[0] && scheduled.get(replica.pods[0].replica)) ?? 0,
    })),
    idle: filling.idle,
  };
}

/** Returns the entries as they are, or in an order by random numbers. */
function inOrder<T>(entries: readonly T[], random: (() => number) | undefined): readonly T[] {
  if (random === undefined) return entries;
  return entries
    .map((entry) => ({ entry, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ entry }) => entry);
}

/** Returns a generator of numbers from 0 to 1: the same for the same seed (splitmix32). */
function numbersFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}

/** Start orders of the gangs, in the order of their first pods in the stack. */
const gangOrders = (replicas: readonly StartingReplica[]): StartOrder[] =>
  [...Map.groupBy(replicas, ({ gang }) => gang)].flatMap(([gang, its]) =>
    gang === undefined ? [] : [gangOrder(gang, its)],
  );

const workloadOrders = (replicas: readonly StartingReplica[]): StartOrder[] =>
  [...Map.groupBy(replicas, ({ workload }) => workload).values()]
    .filter(([first]) => first?.gang === undefined)
    .map(firstReplicaFirst);

const largestPod = ({ minimum }: StartOrder) => Math.max(0, ...minimum.map(({ gpus }) => gpus));
