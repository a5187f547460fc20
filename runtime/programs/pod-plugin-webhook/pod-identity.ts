import type { KubernetesObject } from "../../../kubernetes/values/object.ts";
import {
  kthenaLabel,
  label,
  lwsLabel,
  lwsPrefix,
  roleId,
  servingGroupName,
} from "../../../sdk/names.ts";
import type { HookRequest } from "../../../sdk/plugins/hook-request.ts";

/** The workload of a pod, and the position of the pod in it. */
export interface PodIdentity
  extends Required<Pick<HookRequest, "servingGroup" | "roleName" | "roleID" | "isEntry">> {
  /** Name of the InferenceService or ModelServing. */
  readonly workload: string;
  /** Name of the LeaderWorkerSet. */
  readonly leaderWorkerSet: string;
}

/** Reads the identity of a pod from labels of the plan and LeaderWorkerSet; undefined if they are incomplete. */
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

/** LeaderWorkerSet's webhook labels every pod with its index. A worker also has an annotation with its leader. */
function isEntryPod({ labels, annotations }: KubernetesObject["metadata"]): boolean {
  const index = labels?.[lwsLabel.workerIndex];
  return index === undefined
    ? annotations?.[`${lwsPrefix}leader-name`] === undefined
    : index === "0";
}

/** Parses the group in `{lws}-{group}` or `{lws}-{group}-{worker}`. */
function groupOfName(name: string | undefined, isEntry: boolean): string | undefined {
  const [last, before] = (name ?? "").split("-").reverse();
  const written = isEntry ? last : before;
  return written !== undefined && /^\d+$/.test(written) ? written : undefined;
}
