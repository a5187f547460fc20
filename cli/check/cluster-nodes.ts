import { unplanned } from "../../kubernetes/kinds/unplanned.ts";
import { collectionPath } from "../../kubernetes/paths.ts";
import type { ClusterNode } from "../../sdk/placement/cluster-node.ts";
import { apiReader } from "../doctor/api-reader.ts";
import { loadKubeconfig } from "../doctor/kubeconfig.ts";
import { UsageError } from "../exit-code.ts";
import { nodeOf } from "../input/node-list.ts";
import type { ClusterOptions } from "../options.ts";

/** For standard error, because the numbers of nodes do not contain it. */
export const asIfEmpty =
  "accelerators in use are not subtracted: the placement is for nodes on which no pod runs\n";

/**
 * Returns the nodes of a cluster, with the fields that decide which pods they accept.
 *
 * @param asked option that selects the cluster, for messages
 * @throws UsageError if the nodes cannot be read, or if the cluster has no nodes
 */
export async function readClusterNodes(
  options: ClusterOptions,
  asked = "--cluster-nodes",
): Promise<ClusterNode[]> {
  const api = apiReader(loadKubeconfig(options));
  const nodes = await api.get<{ items: unknown }>(collectionPath(unplanned.Node));
  if (nodes.state !== "seen") {
    const why = nodes.state === "forbidden" ? nodes.why : "the API server does not serve nodes";
    throw new UsageError(`${asked}: nodes cannot be read: ${why}`);
  }
  const { items } = nodes.value;
  if (!Array.isArray(items) || items.length === 0)
    throw new UsageError(`${asked}: the cluster has no nodes`);
  return items.map((item) => nodeOf(item, asked));
}
