/** Node with its free accelerators. It has no pods except those that the caller has already subtracted. */
export interface GpuNode {
  readonly gpus: number;
}

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
  /** Whether no other pod of its replica may run on the node. */
  readonly distinctNode: boolean;
  /** Replica of the pod. */
  readonly replica: object;
  /** Node that its scheduler selects. */
  readonly packing: Packing;
}

interface FillingNode {
  readonly gpus: number;
  used: number;
  readonly pods: PodDemand[];
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

  constructor(nodes: readonly GpuNode[]) {
    this.#nodes = nodes.map(({ gpus }) => ({ gpus, used: 0, pods: [] }));
  }

  get idleGpus(): number {
    return this.#nodes.reduce((idle, node) => idle + node.gpus - node.used, 0);
  }

  /**
   * Places all the pods, in order, or none of them. Returns whether it placed them. A pod without GPUs needs none of
   * these nodes.
   */
  placeAll(pods: readonly PodDemand[]): boolean {
    const filled: FillingNode[] = [];
    for (const pod of pods) {
      if (pod.gpus === 0) continue;
      const node = this.#choose(pod);
      if (node === undefined) {
        for (const each of filled) each.used -= each.pods.pop()?.gpus ?? 0;
        return false;
      }
      node.used += pod.gpus;
      node.pods.push(pod);
      filled.push(node);
    }
    return true;
  }

  #choose(pod: PodDemand): FillingNode | undefined {
    let best: FillingNode | undefined;
    let bestScore = Number.NEGATIVE_INFINITY;
    for (const node of this.#nodes) {
      if (!hasCapacity(node, pod)) continue;
      const fullness = (node.used + pod.gpus) / node.gpus;
      const score = pod.packing === "gpu" ? fullness : -fullness;
      if (score > bestScore) [best, bestScore] = [node, score];
    }
    return best;
  }
}

function hasCapacity(node: FillingNode, pod: PodDemand): boolean {
  if (node.gpus - node.used < pod.gpus) return false;
  return !pod.distinctNode || !node.pods.some(({ replica }) => replica === pod.replica);
}
