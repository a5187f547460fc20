import type { ResourceList } from "../engines/accelerators/pod-resources.ts";
import type { ClusterNode } from "./cluster-node.ts";
import { KnownNode } from "./known-node.ts";
import type { PlacedSpec } from "./node-fit.ts";

/**
 * Node of unknown labels, taints and maker, with its free accelerators. It represents a node of the right kind: it
 * accepts every pod and limits only accelerators.
 */
export interface GpuNode {
  readonly gpus: number;
}

/** Nodes of a placement: their numbers of accelerators, or the nodes of a cluster, as if no pod ran there. */
export type PlacementNodes = readonly GpuNode[] | readonly ClusterNode[];

export const isClusterNode = (node: GpuNode | ClusterNode): node is ClusterNode =>
  "metadata" in node;

/**
 * Node that a scheduler selects from the nodes with enough free accelerators.
 *
 * - `stock`: the least full node. Volcano's default configuration (its nodeorder plugin balances nvidia.com/gpu, and
 *   its binpack plugin scores only cpu and memory) and the default scheduler select it.
 * - `gpu`: the fullest node. Volcano selects it if its binpack plugin scores nvidia.com/gpu.
 */
export type Packing = "stock" | "gpu";

/** Requirements of one pod on a node. */
export interface PodDemand {
  readonly gpus: number;
  /** Everything that the pod takes from a node of a cluster. */
  readonly requests: ResourceList;
  /** Labels, affinity and tolerations of the pod. */
  readonly spec: PlacedSpec;
  /** Whether no other pod of its replica may run on the node. */
  readonly distinctNode: boolean;
  /** Replica of the pod. */
  readonly replica: object;
  /** Node that its scheduler selects. */
  readonly packing: Packing;
}

/** A node that fills up as pods are placed on it. */
export interface FillingNode {
  /** Whether the node has the capacity for the pod, apart from other pods of its replica. */
  takes(pod: PodDemand): boolean;
  /** Share of the node that is in use with the pod, from 0 to 1, by the scheduler's measure. */
  fullness(pod: PodDemand): number;
  add(pod: PodDemand): void;
  removeLast(): void;
  /** Free accelerators by resource; the key of accelerators of unknown maker is empty. */
  readonly idle: ReadonlyMap<string, number>;
  readonly pods: readonly PodDemand[];
}

/** Returns nodes of `perNode` accelerators each, `gpus` in total. A remainder becomes one smaller, last node. */
export function nodesOf(gpus: number, perNode: number): GpuNode[] {
  const nodes = Array.from({ length: Math.floor(gpus / perNode) }, () => ({ gpus: perNode }));
  const rest = gpus % perNode;
  return rest === 0 ? nodes : [...nodes, { gpus: rest }];
}

/** Nodes that fill up as pods are placed on them. */
export class FillingNodes {
  readonly #nodes: readonly FillingNode[];
  readonly #choice: (() => number) | undefined;

  /**
   * @param named resources that count accelerators, in addition to the known ones
   * @param choice score of a node, instead of the score of the scheduler; for other possible outcomes
   */
  constructor(nodes: PlacementNodes, named: ReadonlySet<string>, choice?: () => number) {
    this.#nodes = nodes.map((node) =>
      isClusterNode(node) ? new KnownNode(node, named) : new CountedNode(node.gpus),
    );
    this.#choice = choice;
  }

  /** Free accelerators by resource; the key of accelerators of unknown maker is empty. */
  get idle(): ReadonlyMap<string, number> {
    const idle = new Map<string, number>();
    for (const node of this.#nodes)
      for (const [resource, count] of node.idle)
        idle.set(resource, (idle.get(resource) ?? 0) + count);
    return idle;
  }

  /** Places all the pods, in order, or none of them. Returns whether it placed them. */
  placeAll(pods: readonly PodDemand[]): boolean {
    const filled: FillingNode[] = [];
    for (const pod of pods) {
      const node = this.#choose(pod);
      if (node === undefined) {
        for (const each of filled) each.removeLast();
        return false;
      }
      node.add(pod);
      filled.push(node);
    }
    return true;
  }

  #choose(pod: PodDemand): FillingNode | undefined {
    if (this.#nodes.every((node) => node instanceof CountedNode) && pod.gpus === 0) return nowhere;
    let best: FillingNode | undefined;
    let bestScore = Number.NEGATIVE_INFINITY;
    for (const node of this.#nodes) {
      if (!node.takes(pod) || sharesReplica(node, pod)) continue;
      const fullness = node.fullness(pod);
      const score = this.#choice?.() ?? (pod.packing === "gpu" ? fullness : -fullness);
      if (score > bestScore) [best, bestScore] = [node, score];
    }
    return best;
  }
}

const sharesReplica = (node: FillingNode, pod: PodDemand): boolean =>
  pod.distinctNode && node.pods.some(({ replica }) => replica === pod.replica);

class CountedNode implements FillingNode {
  readonly pods: PodDemand[] = [];
  readonly #gpus: number;
  #used = 0;

  constructor(gpus: number) {
    this.#gpus = gpus;
  }

  get idle() {
    return new Map([["", this.#gpus - this.#used]]);
  }

  takes({ gpus }: PodDemand): boolean {
    return this.#gpus - this.#used >= gpus;
  }

  fullness({ gpus }: PodDemand): number {
    return (this.#used + gpus) / this.#gpus;
  }

  add(pod: PodDemand): void {
    this.#used += pod.gpus;
    this.pods.push(pod);
  }

  removeLast(): void {
    this.#used -= this.pods.pop()?.gpus ?? 0;
  }
}

/** Node of all pods without accelerators, if only accelerators of nodes are known. */
const nowhere: FillingNode = {
  pods: [],
  idle: new Map(),
  takes: () => true,
  fullness: () => 0,
  add: () => {},
  removeLast: () => {},
};
