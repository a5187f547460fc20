import { isMultiNode, nodeCountOf } from "../engines/containers/executor.ts";
import { replicaWorkloadName, roleWorkloadName } from "../names.ts";
import {
  type InferenceServiceSpec,
  inferenceRolesOf,
  isDisaggregated,
  type WorkloadMode,
} from "../spec/inference-service.ts";
import { type InferenceRole, minReplicasOf } from "../spec/role.ts";
import { replicasIn, scaleUnitsIn } from "./scale-units.ts";

/** One LeaderWorkerSet: `replicas` groups of `size` pods. */
export interface Workload {
  readonly name: string;
  readonly replicas: number;
  readonly size: number;
  /** Set if the LeaderWorkerSet is one replica of the role. */
  readonly replicaIndex?: number;
}

/** The LeaderWorkerSets of a role and its part in the gang. */
export interface RoleLayout {
  readonly role: InferenceRole;
  /** Pods of one replica. */
  readonly size: number;
  readonly replicas: number;
  /** Replicas at the minimum of an autoscaler; otherwise `replicas`. */
  readonly leastReplicas: number;
  /** Whether an autoscaler changes the number of replicas. */
  readonly autoscaled: boolean;
  /** Replicas that must start before the role serves. */
  readonly minReplicas: number;
  readonly perReplica: boolean;
  /** Whether the PodGroup counts the role's pods. */
  readonly inGang: boolean;
  readonly workloads: readonly Workload[];
}

/** Returns the layout of each role: its LeaderWorkerSets, and whether the gang counts it. */
export function layOut(
  service: string,
  spec: Pick<InferenceServiceSpec, "roles" | "workload" | "schedulingStrategy"> &
    Partial<Pick<InferenceServiceSpec, "autoscaling" | "accelerators">>,
): RoleLayout[] {
  const disaggregated = isDisaggregated(spec.roles);
  const gangPlanned = spec.schedulingStrategy.gang.layout !== "none";
  const scaled = scaleUnitsIn(spec);
  return inferenceRolesOf(spec).map((written) => {
    const range = scaled && replicasIn(scaled, written.name);
    const role = range === undefined ? written : { ...written, replicas: range.first };
    const needsGang = isMultiNode(role) || (disaggregated && role.componentType !== "worker");
    const perReplica = hasWorkloadPerReplica(spec.workload, needsGang);
    return {
      role,
      size: nodeCountOf(role),
      replicas: role.replicas,
      leastReplicas: range?.least ?? role.replicas,
      autoscaled: range !== undefined,
      minReplicas: range === undefined ? minReplicasOf(role) : (role.minReplicas ?? 1),
      perReplica,
      inGang: gangPlanned && needsGang,
      workloads: perReplica ? workloadPerReplica(service, role) : [workloadPerRole(service, role)],
    };
  });
}

/** With `auto`, multi-node roles, and prefillers with decoders, have one LeaderWorkerSet per replica. */
function hasWorkloadPerReplica(mode: WorkloadMode, needsGang: boolean): boolean {
  return mode === "auto" ? needsGang : mode === "perReplica";
}

function workloadPerReplica(service: string, role: InferenceRole): Workload[] {
  return Array.from({ length: role.replicas }, (_, replicaIndex) => ({
    name: replicaWorkloadName(service, role.name, replicaIndex),
    replicas: 1,
    size: nodeCountOf(role),
    replicaIndex,
  }));
}

function workloadPerRole(service: string, role: InferenceRole): Workload {
  return {
    name: roleWorkloadName(service, role.name),
    replicas: role.replicas,
    size: nodeCountOf(role),
  };
}
