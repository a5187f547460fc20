import { unplanned } from "../../kubernetes/kinds/unplanned.ts";
import { collectionPath } from "../../kubernetes/paths.ts";
import { acceleratorsOfNode } from "../../sdk/topology/accelerators.ts";
import { quantities } from "../../sdk/topology/pod-resources.ts";
import { apiReader } from "../doctor/api-reader.ts";
import { loadKubeconfig } from "../doctor/kubeconfig.ts";
import { UsageError } from "../exit-code.ts";
import type { ClusterOptions } from "../options.ts";

interface Node {
  readonly spec?: { readonly unschedulable?: boolean };
  readonly status?: {
    readonly allocatable?: Readonly<Record<string, string>>;
    readonly conditions?: ReadonlyArray<{ readonly type: string; readonly status: string }>;
  };
}

/**
 * Returns the accelerators of each schedulable node of a cluster, as if none were in use.
 *
 * @param asked option that selects the cluster, for messages
 * @throws UsageError if the nodes cannot be read
 */
export async function readClusterNodes(
  options: ClusterOptions,
  asked = "--cluster-nodes",
): Promise<number[]> {
  const api = apiReader(loadKubeconfig(options));
  const nodes = await api.get<{ items: Node[] }>(collectionPath(unplanned.Node));
  if (nodes.state === "seen") return nodes.value.items.filter(takesPods).map(gpusOf);
  const why = nodes.state === "forbidden" ? nodes.why : "the API server does not serve nodes";
  throw new UsageError(`${asked}: nodes cannot be read: ${why}`);
}

const takesPods = ({ spec, status }: Node): boolean =>
  spec?.unschedulable !== true &&
  (status?.conditions ?? []).some(({ type, status: is }) => type === "Ready" && is === "True");

const gpusOf = ({ status }: Node): number => acceleratorsOfNode(quantities(status?.allocatable));
