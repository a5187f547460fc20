import type { Gang } from "../stack/gangs.ts";
import { type SubGroup, selectsPods } from "../stack/sub-groups.ts";
import type { PodDemand } from "./gpu-nodes.ts";
import type { StartingReplica } from "./starting-replicas.ts";

/** Pods that a scheduler places together or not at all. */
export type Turn = readonly PodDemand[];

/**
 * Order in which a scheduler places the pods of a gang or a workload. If `minimum` cannot be placed as a whole,
 * `further` is not tried; a turn of `further` that cannot be placed is skipped.
 */
export interface StartOrder {
  readonly minimum: Turn;
  readonly further: readonly Turn[];
}

/**
 * Returns Volcano's order for the replicas of a gang.
 *
 * With sub-groups, each replica is a sub-group. The sub-groups that satisfy the minima of the policies are placed
 * first and together; then the rest follow one at a time. Sub-groups are ordered by replica index and then by name,
 * which is the order of their ids (Volcano, Session.SubJobOrderFn and allocate.organizeJobWorksheet). With minima of
 * tasks, all pods are placed together; otherwise the first `minMember` pods are, ordered by their number within the
 * replica (helpers.CompareTask).
 */
export function gangOrder(
  { spec, minMember }: Gang,
  replicas: readonly StartingReplica[],
): StartOrder {
  const policies = (spec.subGroupPolicy ?? []).filter(({ minSubGroups = 0 }) => minSubGroups > 0);
  if (policies.length > 0) return subGroupOrder(spec.subGroupPolicy ?? [], replicas);
  const pods = interleaved(replicas);
  const least = spec.minTaskMember === undefined ? minMember : pods.length;
  return { minimum: pods.slice(0, least), further: pods.slice(least).map((pod) => [pod]) };
}

function subGroupOrder(
  policies: readonly SubGroup[],
  replicas: readonly StartingReplica[],
): StartOrder {
  const ordered = replicas.toSorted(bySubGroup);
  const required = new Set(
    policies.flatMap((policy) =>
      ordered.filter((replica) => selectsPods(policy, replica)).slice(0, policy.minSubGroups ?? 0),
    ),
  );
  return {
    minimum: ordered.filter((replica) => required.has(replica)).flatMap(({ pods }) => pods),
    further: ordered.filter((replica) => !required.has(replica)).map(({ pods }) => pods),
  };
}

/** Pods without a gang start one by one: leaders first, because workers are created after their leader. */
export const podByPod = (replicas: readonly StartingReplica[]): StartOrder => ({
  minimum: [],
  further: interleaved(replicas).map((pod) => [pod]),
});

/** A workload without a gang serves once one replica is complete. */
export const firstReplicaFirst = ([first, ...rest]: readonly StartingReplica[]): StartOrder => ({
  minimum: first?.pods ?? [],
  further: interleaved(rest).map((pod) => [pod]),
});

function bySubGroup(a: StartingReplica, b: StartingReplica): number {
  return a.index - b.index || compareText(subGroupId(a), subGroupId(b));
}

const subGroupId = ({ role, workload, index }: StartingReplica) =>
  `${role ?? workload.name}-${index}`;

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Returns the first pod of every replica, then the second pod of every replica that has one, and so on. */
function interleaved(replicas: readonly StartingReplica[]): PodDemand[] {
  const longest = Math.max(0, ...replicas.map(({ pods }) => pods.length));
  return Array.from({ length: longest }, (_, nth) =>
    replicas.flatMap(({ pods }) => pods.slice(nth, nth + 1)),
  ).flat();
}
