import { acceleratorNames, acceleratorTypes } from "../../sdk/engines/accelerators/index.ts";
import { labelsOfNodesWith } from "../../sdk/engines/accelerators/node-labels.ts";
import { acceleratorsOfNode, clusterNode } from "../../sdk/placement/cluster-node.ts";
import { nodeChoice } from "../../sdk/placement/node-choice.ts";
import { readNodePools } from "../../sdk/placement/node-pools.ts";
import { placedRoles } from "../../sdk/placement/placement-notice.ts";
import { listed } from "../../sdk/status/conditions.ts";
import { type CheckResult, ok, warning } from "./check-result.ts";
import { type ClusterObservation, type Node, seenOf } from "./observation.ts";

const check = "placement";

/**
 * Compares the nodes with the pods that select nodes: devices without a label of their accelerator, and the nodes of
 * each LeaderWorkerSet. `accelerators` reports nodes that may not be read.
 */
export function checkPlacement({
  namespace,
  nodes: seen,
  nodePools,
  leaderWorkerSets,
}: ClusterObservation): CheckResult[] {
  if (seen.state !== "seen") return [];
  const nodes = seen.value.flatMap((node) => clusterNode.safeParse(node).data ?? []);
  const pools = readNodePools(seenOf(nodePools));
  const sets = seenOf(leaderWorkerSets).map((set) => ({ kind: "LeaderWorkerSet", ...set }));
  const findings = sets.flatMap((set) =>
    placedRoles([set as never]).map(({ pod }): CheckResult => {
      const { fitting, shortage } = nodeChoice(pod, nodes, pools);
      const title = `LeaderWorkerSet ${namespace}/${set.metadata.name}`;
      return shortage === undefined
        ? ok(check, `${title} fits on ${listed(fitting)}`)
        : warning(check, {
            title: `no node accepts the pods of ${title}`,
            seen: shortage,
            fix: "kubectl get nodes --show-labels",
          });
    }),
  );
  return [...unlabelled(seen.value), ...findings];
}

/** Nodes whose devices have a known maker, but whose labels name no accelerator: planned pods do not run there. */
function unlabelled(nodes: readonly Node[]): CheckResult[] {
  const without = nodes.filter(
    (node) =>
      Object.entries(node.status?.allocatable ?? {}).some(
        ([name, amount]) => labelledResources.has(name) && Number(amount) > 0,
      ) && acceleratorsOfNode(node).length === 0,
  );
  if (without.length === 0) return [];
  return [
    warning(check, {
      title: `no label names the accelerator of ${listed(without.map(({ metadata }) => metadata.name))}`,
      seen: "pods of a service with an accelerator are not scheduled there, unless the service sets nodes.selector or nodes.any",
      fix: "install the maker's feature discovery, such as NVIDIA's gpu-feature-discovery, or label the nodes: kubectl label node NODE nvidia.com/gpu.product=PRODUCT; docs/gpu-nodes.md lists the labels",
    }),
  ];
}

/** Resources of accelerators that labels name. */
const labelledResources = new Set(
  acceleratorNames.flatMap((name) =>
    labelsOfNodesWith(name).length > 0 ? (acceleratorTypes[name].resource ?? []) : [],
  ),
);
