import { unlessAbsent } from "../../kubernetes/api/api-error.ts";
import { newKubernetesClient } from "../../kubernetes/api/client.ts";
import { newKubeConfig } from "../../kubernetes/api/client-library.ts";
import { type KubeconfigChoice, readKubeconfig } from "../../kubernetes/api/kubeconfig.ts";
import type { KindAddress } from "../../kubernetes/kinds/kind.ts";
import { unplanned } from "../../kubernetes/kinds/unplanned.ts";
import { collectionPath } from "../../kubernetes/paths.ts";
import { type ClusterNode, clusterNode } from "../../sdk/placement/cluster-node.ts";
import type { NodePool } from "../../sdk/placement/node-choice.ts";
import { readNodePools } from "../../sdk/placement/node-pools.ts";

/** Time limit for each list, in ms. A preview continues without the nodes of a slow cluster. */
const timeoutMs = 5_000;

/** Nodes and node pools of a cluster. */
export interface ClusterNodes {
  readonly nodes: readonly ClusterNode[];
  /** Empty if the cluster has no Karpenter, or if the pools may not be read. */
  readonly pools: readonly NodePool[];
}

/**
 * Reads the nodes of a cluster.
 *
 * @throws KubeconfigError if there is no kubeconfig, and Error if the nodes cannot be read
 */
export async function readClusterNodes(choice: KubeconfigChoice): Promise<ClusterNodes> {
  const client = newKubernetesClient(readKubeconfig(newKubeConfig(), choice), { timeoutMs });
  const list = async (kind: KindAddress) =>
    (await client.request<{ items: unknown[] }>("GET", collectionPath(kind))).items;
  try {
    const [nodes, pools] = await Promise.all([
      list(unplanned.Node),
      unlessAbsent(list(unplanned.NodePool)).catch(() => undefined),
    ]);
    return { nodes: nodes.map((node) => clusterNode.parse(node)), pools: readNodePools(pools) };
  } finally {
    client.close();
  }
}
