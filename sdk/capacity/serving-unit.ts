import { kthenaLabel, label } from "../names.ts";
import type { PlacedReplica } from "../placement/placement.ts";
import { isDisaggregated } from "../spec/inference-service.ts";
import { type CapacityStatus, isWhole, type ReplicaPlacement } from "./replica-placement.ts";

/** A role of a service, as the status of a placement needs it. */
export interface ServingRole {
  readonly name: string;
  /** Undefined for a workload of another author. */
  readonly componentType?: string | undefined;
  readonly replicas: number;
}

/** Replicas that serve together: all replicas of a service, or of one workload of another author. */
export interface ServingUnit {
  /** `chat`, or `Deployment ml/vllm` for a workload of another author. */
  readonly name: string;
  readonly roles: readonly ServingRole[];
  readonly placed: readonly PlacedReplica[];
  /** Replicas next to the engines, such as endpoint pickers. */
  readonly attending: readonly PlacedReplica[];
}

/**
 * Returns the replicas of a stack, grouped by the service that they serve, in the order of the objects. A workload that belongs to no
 * service and requests no accelerator is left out.
 */
export function servingUnits(replicas: readonly PlacedReplica[]): ServingUnit[] {
  const byName = Map.groupBy(replicas, unitName);
  return [...byName].flatMap(([name, all]) => {
    const isService = all.some(({ replica }) => replica.role !== undefined);
    const isEngine = ({ replica: { role, kinds, isUncounted } }: PlacedReplica) =>
      isService ? role !== undefined : kinds.length > 0 || isUncounted;
    const placed = all.filter(isEngine);
    if (placed.length === 0) return [];
    const attending = all.filter((each) => !isEngine(each));
    return [{ name, roles: rolesOf(placed), placed, attending }];
  });
}

function unitName({ replica: { workload, labels } }: PlacedReplica): string {
  const { kind, metadata } = workload.object.manifest;
  const owners = { ...metadata.labels, ...labels };
  const service = owners[label.service] ?? owners[kthenaLabel.name];
  return service ?? `${kind} ${workload.namespace}/${workload.name}`;
}

function rolesOf(placed: readonly PlacedReplica[]): ServingRole[] {
  const byRole = Map.groupBy(placed, ({ replica }) => roleName(replica));
  return [...byRole].map(([name, its]) => ({
    name,
    componentType: its[0]?.replica.labels[label.componentType],
    replicas: its.length,
  }));
}

/** Returns the role of a replica, or the name of its workload. */
export const roleName = ({
  role,
  workload,
}: Pick<PlacedReplica["replica"], "role" | "workload">): string => role ?? workload.name;

export const placementOf = ({ replica, scheduledPods }: PlacedReplica): ReplicaPlacement => ({
  role: roleName(replica),
  index: replica.index,
  scheduledPods,
  size: replica.pods.length,
});

export function statusOf(
  roles: readonly ServingRole[],
  replicas: readonly ReplicaPlacement[],
): CapacityStatus {
  if (replicas.every(isWhole)) return "Full";
  return serves(roles, replicas) ? "Partial" : "Blocked";
}

/** A prefiller and a decoder serve together, every other engine serves alone. */
function serves(roles: readonly ServingRole[], replicas: readonly ReplicaPlacement[]): boolean {
  const whole = new Set(replicas.filter(isWhole).map(({ role }) => role));
  const serving = roles.filter(({ name }) => whole.has(name));
  return serving.some(({ componentType }) => !isHalf(componentType)) || isDisaggregated(serving);
}

const isHalf = (componentType: string | undefined) =>
  componentType === "prefiller" || componentType === "decoder";
