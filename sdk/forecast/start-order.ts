import type { Gang } from "../stack/gangs.ts";
import { type SubGroup, selectsPods } from "../stack/sub-groups.ts";
import type { PodDemand } from "./gpu-nodes.ts";
import type { StartingReplica } from "./starting-replicas.ts";

/** Pods that a scheduler places all together or not at all. */
export type Turn = readonly PodDemand[];

/**
 * What one scheduler does for a gang or a workload, in order. Where `minimum` cannot be placed whole, nothing of
 * `further` is tried; a turn of `further` that cannot be placed is passed over.
 */
export interface StartOrder {
  readonly minimum: Turn;
  readonly further: readonly Turn[];
}

/**
 * Volcano's order for the replicas of a gang.
 *
 * With sub-groups each replica is one. Those that make up the policies' minima go first and together; when they are
 * placed, the rest follow one at a time. Sub-groups go by replica index, then by name, which is the order of their ids
 * (Volcano, Session.SubJobOrderFn and allocate.organizeJobWorksheet). With minima of tasks everything goes together, else
 * the first `minMember` pods do, ordered by their number within the replica (helpers.CompareTask).
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

/** Pods without a gang start one by one: leaders first, because workers come after their leader. */
export const podByPod = (replicas: readonly StartingReplica[]): StartOrder => ({
  minimum: [],
  further: interleaved(replicas).map((pod) => [pod]),
});

/** A workload without a gang serves when one replica is whole. */
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

/** The first pod of every replica, then the second of every replica that has one, and so on. */
function interleaved(replicas: readonly StartingReplica[]): PodDemand[] {
  const longest = Math.max(0, ...replicas.map(({ pods }) => pods.length));
  return Array.from({ length: longest }, (_, nth) =>
    replicas.flatMap(({ pods }) => pods.slice(nth, nth + 1)),
  ).flat();
}
