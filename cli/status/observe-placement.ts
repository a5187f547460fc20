import { unplanned } from "../../kubernetes/kinds/unplanned.ts";
import { collectionPath } from "../../kubernetes/paths.ts";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { label } from "../../sdk/names.ts";
import { clusterNode } from "../../sdk/placement/cluster-node.ts";
import { nodeChoice } from "../../sdk/placement/node-choice.ts";
import { readNodePools } from "../../sdk/placement/node-pools.ts";
import { rolePods } from "../../sdk/placement/placement-notice.ts";
import { listed } from "../../sdk/status/conditions.ts";
import type { ObservedPod } from "../../sdk/status/observed.ts";
import type { ApiReader } from "../doctor/api-reader.ts";
import type { Seen } from "../doctor/observation.ts";

/** The nodes for the pods of a role that wait for a node. */
export interface RolePlacement {
  readonly role: string;
  /** Nodes that accept the pods while they are empty; undefined if the nodes cannot be read. */
  readonly fitting?: readonly string[];
  /** Number of nodes in the cluster. */
  readonly nodes?: number;
  /** Node pools of Karpenter that may add such a node. */
  readonly pools?: readonly string[];
  /** Why no node accepts the pods, or why the nodes are unknown; undefined if a node accepts them. */
  readonly problem?: string;
}

/** Compares the nodes with the roles that have waiting pods. Reads no node if no pod waits. */
export async function observePlacement(
  api: ApiReader,
  sets: readonly unknown[],
  pods: readonly ObservedPod[],
): Promise<RolePlacement[]> {
  const waiting = new Set(
    pods
      .filter(({ unschedulable, scheduled, deleting }) => unschedulable && !scheduled && !deleting)
      .map(({ labels }) => labels[label.roleName]),
  );
  const manifests = sets.map((set) => ({ kind: "LeaderWorkerSet", ...(set as object) }));
  const roles = rolePods(manifests as Manifest[]).filter(({ role }) => waiting.has(role));
  if (roles.length === 0) return [];
  const [nodes, pools] = await Promise.all(
    [unplanned.Node, unplanned.NodePool].map((kind) => read(api, collectionPath(kind))),
  );
  if (nodes?.state !== "seen") {
    const why = nodes?.state === "forbidden" ? nodes.why : "the API server lists none";
    return roles.map(({ role }) => ({ role, problem: `unknown: ${why}` }));
  }
  const known = nodes.value.items.flatMap((node) => clusterNode.safeParse(node).data ?? []);
  const added = readNodePools(pools?.state === "seen" ? pools.value.items : []);
  return roles.map(({ role, pod }) => {
    const { shortage, ...choice } = nodeChoice(pod, known, added);
    return {
      role,
      fitting: choice.fitting,
      nodes: nodes.value.items.length,
      pools: choice.pools,
      ...(shortage !== undefined && { problem: shortage }),
    };
  });
}

/** Formats the nodes as `4 of 5: a, b, c and 1 more`; returns the problem instead if there is one. */
export const placementInWords = ({ fitting = [], nodes, problem }: RolePlacement): string =>
  problem ?? `${fitting.length} of ${nodes}: ${listed(fitting)}`;

interface List {
  readonly items: readonly unknown[];
}

/** A kind that cannot be read is a reason, not an error: the rest of the status does not depend on it. */
const read = async (api: ApiReader, path: string): Promise<Seen<List>> => {
  try {
    const seen = await api.get<List>(path);
    if (seen.state !== "seen" || Array.isArray(seen.value?.items)) return seen;
    return { state: "forbidden", why: `${path} is not a list` };
  } catch (error) {
    return { state: "forbidden", why: (error as Error).message };
  }
};
