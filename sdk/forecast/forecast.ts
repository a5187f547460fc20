import type { Stack } from "../stack/stack.ts";
import { FillingNodes, type GpuNode, type Packing, type PodDemand } from "./gpu-nodes.ts";
import { firstReplicaFirst, gangOrder, podByPod, type StartOrder } from "./start-order.ts";
import { type StartingReplica, startingReplicas } from "./starting-replicas.ts";

/** How much of a replica is placed. */
export interface PlacedReplica {
  readonly replica: StartingReplica;
  readonly scheduledPods: number;
}

export interface StackForecast {
  /** Every replica that the schedulers place, in the order of the objects. */
  readonly replicas: readonly PlacedReplica[];
  readonly idleGpus: number;
}

/** What is not in the objects and decides all the same. */
export interface Circumstances {
  readonly packing: Packing;
  /**
   * Who takes accelerators first.
   *
   * - `others`: pods outside gangs, one by one, as they are bound when a gang waits for the last of its pods.
   * - `gangs`: gangs, and then pods outside them.
   * - `minima`: the minima of all gangs and a replica of every other workload, those with the largest pods before others:
   *   what then has no room has none in any order, where pods divide nodes.
   */
  readonly first: "others" | "gangs" | "minima";
}

/** Which pods of a stack start on empty nodes, when all its pods exist and nothing else wants the nodes. */
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

/** Orders of the gangs, as their first pods stand in the stack. */
const gangOrders = (replicas: readonly StartingReplica[]): StartOrder[] =>
  [...Map.groupBy(replicas, ({ gang }) => gang)].flatMap(([gang, its]) =>
    gang === undefined ? [] : [gangOrder(gang, its)],
  );

const workloadOrders = (replicas: readonly StartingReplica[]): StartOrder[] =>
  [...Map.groupBy(replicas, ({ workload }) => workload).values()]
    .filter(([first]) => first?.gang === undefined)
    .map(firstReplicaFirst);

const largestPod = ({ minimum }: StartOrder) => Math.max(0, ...minimum.map(({ gpus }) => gpus));
