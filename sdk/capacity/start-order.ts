import type { GangLayout } from "../spec/inference-service.ts";
import type { RoleLayout } from "../topology/role-layout.ts";
import { acceleratorsOfPod } from "./accelerators.ts";
import type { PodDemand } from "./gpu-nodes.ts";

/** One replica that wants to start. */
export interface StartingReplica {
  readonly layout: RoleLayout;
  readonly index: number;
  readonly pods: readonly PodDemand[];
}

/** Pods that a scheduler places all together or not at all. */
export type Turn = readonly PodDemand[];

/**
 * What one scheduler does for the service, in order. Where `minimum` cannot be placed whole, nothing of `further` is
 * tried; a turn of `further` that cannot be placed is passed over.
 */
export interface StartOrder {
  readonly minimum: Turn;
  readonly further: readonly Turn[];
}

export function startingReplicas(layouts: readonly RoleLayout[]): StartingReplica[] {
  return layouts.flatMap((layout) => {
    const gpus = acceleratorsOfPod(layout.role.template.spec);
    const distinctNode = layout.role.multinode?.distinctNodes ?? false;
    return Array.from({ length: layout.replicas }, (_, index) => {
      const replica = {};
      const pods = Array.from({ length: layout.size }, () => ({ gpus, distinctNode, replica }));
      return { layout, index, pods };
    });
  });
}

/**
 * Volcano's order for the roles of the gang.
 *
 * subGroup: each replica is a sub-group. Those that make up the roles' minima go first and together; when they are
 * placed, the rest follow one at a time. Sub-groups go by replica index, then by role name, which is the order of
 * their ids (Volcano, Session.SubJobOrderFn and allocate.organizeJobWorksheet).
 * task: everything together, pods ordered by their number within the replica (helpers.CompareTask).
 */
export function gangOrder(layout: GangLayout, replicas: readonly StartingReplica[]): StartOrder {
  if (layout === "task") return { minimum: interleaved(replicas), further: [] };
  const ordered = replicas.toSorted(bySubGroup);
  const isRequired = (replica: StartingReplica) => replica.index < replica.layout.minReplicas;
  return {
    minimum: ordered.filter(isRequired).flatMap(({ pods }) => pods),
    further: ordered.filter((replica) => !isRequired(replica)).map(({ pods }) => pods),
  };
}

/** Pods without a gang start one by one: leaders first, because workers come after their leader. */
export function podByPod(replicas: readonly StartingReplica[]): StartOrder {
  return { minimum: [], further: interleaved(replicas).map((pod) => [pod]) };
}

function bySubGroup(a: StartingReplica, b: StartingReplica): number {
  return a.index - b.index || compareText(subGroupId(a), subGroupId(b));
}

const subGroupId = ({ layout, index }: StartingReplica) => `${layout.role.name}-${index}`;

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** The first pod of every replica, then the second of every replica that has one, and so on. */
function interleaved(replicas: readonly StartingReplica[]): PodDemand[] {
  const longest = Math.max(0, ...replicas.map(({ pods }) => pods.length));
  return Array.from({ length: longest }, (_, nth) =>
    replicas.flatMap(({ pods }) => pods.slice(nth, nth + 1)),
  ).flat();
}
