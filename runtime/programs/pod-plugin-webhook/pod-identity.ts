import type { KubernetesObject } from "../../../kubernetes/values/object.ts";
import type { HookRequest } from "../../../sdk/plugins/hook-request.ts";
import {
  kthenaLabel,
  label,
  lwsLabel,
  lwsPrefix,
  roleId,
  servingGroupName,
} from "../../../sdk/topology/names.ts";

/** Which pod of which workload a pod is. */
export interface PodIdentity
  extends Required<Pick<HookRequest, "servingGroup" | "roleName" | "roleID" | "isEntry">> {
  /** Name of the InferenceService or ModelServing. */
  readonly workload: string;
  /** Name of the LeaderWorkerSet. */
  readonly leaderWorkerSet: string;
}

/** What the labels of a pod say, the plan's and LeaderWorkerSet's; undefined where they say too little. */
export function podIdentity({
  metadata,
}: Pick<KubernetesObject, "metadata">): PodIdentity | undefined {
  const labels = metadata.labels ?? {};
  const isEntry = isEntryPod(metadata);
  const group = labels[lwsLabel.groupIndex] ?? groupOfName(metadata.name, isEntry);
  const leaderWorkerSet = labels[`${lwsPrefix}name`] ?? "";
  const service = labels[label.service];
  if (service !== undefined) {
    const roleName = labels[label.roleName];
    const index = Number(labels[label.replicaIndex] ?? group);
    if (roleName === undefined || !Number.isInteger(index)) return undefined;
    return {
      workload: service,
      leaderWorkerSet,
      servingGroup: servingGroupName(service, index),
      roleName,
      roleID: roleId(roleName, index),
      isEntry,
    };
  }
  const {
    [kthenaLabel.name]: serving,
    [kthenaLabel.groupName]: servingGroup,
    [kthenaLabel.role]: roleName,
  } = labels;
  const index = Number(group);
  if (!serving || !servingGroup || !roleName || !Number.isInteger(index)) return undefined;
  const roleID = roleId(roleName, index);
  return { workload: serving, leaderWorkerSet, servingGroup, roleName, roleID, isEntry };
}

/** LeaderWorkerSet's webhook gives every pod its index; workers also name their leader. */
function isEntryPod({ labels, annotations }: KubernetesObject["metadata"]): boolean {
  const index = labels?.[lwsLabel.workerIndex];
  return index === undefined
    ? annotations?.[`${lwsPrefix}leader-name`] === undefined
    : index === "0";
}

/** `{lws}-{group}`, `{lws}-{group}-{worker}`. */
function groupOfName(name: string | undefined, isEntry: boolean): string | undefined {
  const [last, before] = (name ?? "").split("-").reverse();
  const written = isEntry ? last : before;
  return written !== undefined && /^\d+$/.test(written) ? written : undefined;
}
