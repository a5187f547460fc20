import type { Stack } from "../stack/stack.ts";
import { FillingNodes, type GpuNode, type Packing, type PodDemand } from "./gpu-nodes.ts";
import { firstReplicaFirst, gangOrder, podByPod, type StartOrder } from "./start-order.ts";
import { type StartingReplica, startingReplicas } from "./starting-replicas.ts";

/** A replica and the number of its pods that are placed. */
export interface PlacedReplica {
  readonly replica: StartingReplica;
  readonly scheduledPods: number;
}

export interface StackForecast {
  /** Every replica that the schedulers place, in the order of the objects. */
  readonly replicas: readonly PlacedReplica[];
  readonly idleGpus: number;
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
}

/**
 * Returns the pods of a stack that start on empty nodes if all its pods exist and no other workload uses the nodes.
 */
export function forecastStart(
  stack: Stack,
  nodes: readonly GpuNode[],
  { packing, first }: Circumstances,
): StackForecast {
  const replicas = startingReplicas(stack, packing);
  const filling = new FillingNodes(nodes);
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
    const largestFirst = orders.toSorted((a, b) => largestPod(b) - largestPod(a));
    const begun = new Set(largestFirst.filter(({ minimum }) => place(minimum)));
    for (const order of orders) if (begun.has(order)) startFurther(order);
  } else {
    const gangs = gangOrders(replicas);
    const others = podByPod(replicas.filter(({ gang }) => gang === undefined));
    for (const order of first === "gangs" ? [...gangs, others] : [others, ...gangs])
      if (place(order.minimum)) startFurther(order);
  }
  return {
    replicas: replicas.map((replica) => ({
      replica,
      scheduledPods: (replica.pods[0] && scheduled.get(replica.pods[0].replica)) ?? 0,
    })),
    idleGpus: filling.idleGpus,
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
