import { type AcceleratorName, acceleratorTypes, isPartOf } from "../engines/accelerators/index.ts";
import { labelsOfNodesWith } from "../engines/accelerators/node-labels.ts";
import { requiredTerms } from "../engines/accelerators/node-terms.ts";
import { selectedAccelerators } from "../engines/start-up/template-accelerator.ts";
import { acceleratorsOfNode, type ClusterNode } from "./cluster-node.ts";
import type { PodDemand } from "./gpu-nodes.ts";
import { nodeObstacles, type PlacedSpec } from "./node-fit.ts";
import type { PlacedReplica } from "./placement.ts";

/** Node pool of Karpenter, which may have no node yet (karpenter.sh, NodePool). */
export interface NodePool {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly requirements: ReadonlyArray<{
    readonly key: string;
    readonly operator: string;
    readonly values: readonly string[];
  }>;
}

/** Nodes of a cluster on which a pod may run. */
export interface NodeChoice {
  /** Accelerators that the pod selects by labels of nodes. */
  readonly selected: readonly AcceleratorName[];
  /** Names of the nodes that accept the pod while they are empty. */
  readonly fitting: readonly string[];
  /** Names of the node pools that may add such a node. */
  readonly pools: readonly string[];
  /** Why no node accepts the pod, and what to do; undefined if a node does. */
  readonly shortage: string | undefined;
}

/** Compares a pod with the nodes and node pools of a cluster, as if no other pod ran there. */
export function nodeChoice(
  pod: PlacedSpec,
  nodes: readonly ClusterNode[],
  nodePools: readonly NodePool[] = [],
): NodeChoice {
  const selected = selectedAccelerators(pod);
  const fitting = nodes.filter((node) => nodeObstacles(pod, node).length === 0);
  const pools = nodePools.filter((pool) => mayAdd(pool, pod)).map(({ name }) => name);
  return {
    selected,
    fitting: fitting.map(({ metadata }) => metadata.name),
    pools,
    shortage: fitting.length > 0 ? undefined : shortageOf(pod, nodes, selected, pools),
  };
}

function shortageOf(
  pod: PlacedSpec,
  nodes: readonly ClusterNode[],
  [name]: readonly AcceleratorName[],
  pools: readonly string[],
): string {
  const later =
    pools.length > 0
      ? `Node pool ${pools.join(", ")} may add one.`
      : "An autoscaled node pool that has no node now may still add one.";
  if (name === undefined) return `${refusalsOf(pod, nodes)}. ${later}`;
  const { title, resource } = acceleratorTypes[name];
  const named = nodes.map(acceleratorsOfNode);
  const having = nodes.filter((_, at) => named[at]?.some((each) => isPartOf(name, each)));
  if (having.length > 0) return `${refusalsOf(pod, having, `nodes with ${title}`)}. ${later}`;
  if (named.every((each) => each.length === 0) && pools.length === 0) {
    const [label] = labelsOfNodesWith(name)[0] ?? [];
    const example = label && `kubectl label node NODE ${label.key}=${label.values[0]}`;
    return `no node has a label that names its accelerator, so pods for ${title} stay Pending. Install the maker's feature discovery${example ? `, or label the nodes: ${example}` : ""}. Otherwise set nodes.selector to labels of your nodes, or nodes.any: true for any node with ${resource}. ${later}`;
  }
  const others = Map.groupBy(named.flat(), (each) => each);
  const seen = [...others].map(
    ([each, its]) => `${its.length} with ${acceleratorTypes[each].title}`,
  );
  return `no node has a label of ${title}${seen.length > 0 ? `; there are ${seen.join(", ")}` : ""}. ${later}`;
}

/** Returns `none of 3 nodes accepts the pods (2: lacks the label pool=gpu; 1: ...)`. A node counts once for each reason. */
export function refusalsOf(pod: PlacedSpec, nodes: readonly ClusterNode[], what = "nodes"): string {
  if (nodes.length === 0) return "the cluster has no node";
  const texts = nodes.flatMap((node) => nodeObstacles(pod, node).map(({ text }) => text));
  const counted = [...Map.groupBy(texts, (text) => text)]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .slice(0, mostReasons)
    .map(([text, its]) => `${its.length}: ${text}`);
  return `none of ${nodes.length} ${what} accepts the pods (${counted.join("; ")})`;
}

/** Longest list of different reasons in a message. */
const mostReasons = 4;

/**
 * Reports whether a node pool may add a node that matches one of the pod's terms. New nodes of the pool never have a
 * label that neither the pool nor the cloud defines, such as labels of feature discovery, because Karpenter does not
 * know such labels.
 */
function mayAdd({ labels, requirements }: NodePool, pod: PlacedSpec): boolean {
  const selector = Object.entries((pod.nodeSelector ?? {}) as Record<string, unknown>).map(
    ([key, value]) => ({ key, operator: "In", values: [String(value)] }),
  );
  const terms = requiredTerms(pod) ?? [];
  const alternatives = terms.length > 0 ? terms.map((term) => term.matchExpressions ?? []) : [[]];
  return alternatives.some((expressions) =>
    [...selector, ...expressions].every(({ key, operator, values = [] }) => {
      if (operator !== "In") return true;
      if (Object.hasOwn(labels, key)) return values.includes(labels[key] as string);
      const own = requirements.filter((each) => each.key === key);
      if (own.length === 0) return ofCloud.test(key);
      return own.every((each) =>
        each.operator === "In"
          ? each.values.some((value) => values.includes(value))
          : each.operator !== "NotIn" || values.some((value) => !each.values.includes(value)),
      );
    }),
  );
}

/** Labels that Karpenter sets on every new node: docs of Karpenter and EKS Auto Mode, well-known labels. */
const ofCloud =
  /^(node\.kubernetes\.io|topology\.kubernetes\.io|kubernetes\.io|karpenter\.[\w.]+|eks\.amazonaws\.com)\//;

/** Returns the pods that do not start and that every node refuses, even if the node is empty. */
export const refusedPods = (
  placed: readonly PlacedReplica[],
  nodes: readonly ClusterNode[],
): PodDemand[] =>
  nodes.length === 0
    ? []
    : placed
        .filter(({ replica, scheduledPods }) => scheduledPods < replica.pods.length)
        .flatMap(({ replica }) => replica.pods)
        .filter(({ spec }) => nodes.every((node) => nodeObstacles(spec, node).length > 0));
