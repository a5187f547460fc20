import { kinds } from "../../../kubernetes/kinds/index.ts";
import type { Manifest, ObjectMeta } from "../../../kubernetes/values/manifest.ts";
import { present } from "../../../kubernetes/values/present.ts";
import { label } from "../../names.ts";
import type { PodTemplate } from "../../schemas/pod-template.ts";
import { annotated, objectMeta, type PlanContext } from "../object-meta.ts";
import { revisionOf } from "../revision.ts";
import { runTimePluginsOf } from "./pod-plugins.ts";
import { type RoleContext, roleLabels, rolePods } from "./pod-template.ts";

export function planLeaderWorkerSets(context: PlanContext, role: RoleContext): Manifest[] {
  const { layout, service, plugins } = role;
  const reported = runTimePluginsOf(plugins, layout.role.name);
  const podsOf = rolePods(role);
  let revision: string | undefined;
  return layout.workloads.map(({ name, replicas, size, replicaIndex }) => {
    const pods = podsOf(replicaIndex);
    // The templates of the first replica: the replicas of a role have the same revision.
    revision ??= revisionOf({ size, ...pods });
    const labels = { ...roleLabels(service, layout, replicaIndex), [label.revision]: revision };
    return leaderWorkerSet({
      metadata: annotated(objectMeta(context, name, labels), reported),
      replicas,
      size,
      restartsWhole: true,
      ...layout.role.rollout,
      ...pods,
    });
  });
}

/** Fields in which LeaderWorkerSets differ. */
export interface LeaderWorkerSetParts {
  readonly metadata: ObjectMeta;
  readonly replicas: number;
  /** Number of pods of a group. */
  readonly size: number;
  /** Default 1. */
  readonly maxUnavailable?: number;
  /** Default 0. */
  readonly maxSurge?: number;
  /** Whether the failure of a pod restarts its whole group. */
  readonly restartsWhole: boolean;
  /** Set if a group has workers. */
  readonly leader?: PodTemplate | undefined;
  readonly worker: PodTemplate;
}

export function leaderWorkerSet(parts: LeaderWorkerSetParts): Manifest {
  const { metadata, replicas, size, restartsWhole, leader, worker } = parts;
  const { maxUnavailable = 1, maxSurge = 0 } = parts;
  return {
    apiVersion: kinds.LeaderWorkerSet.apiVersion,
    kind: "LeaderWorkerSet",
    metadata,
    spec: {
      replicas,
      // The controller requires every field of rollingUpdateConfiguration.
      rolloutStrategy: {
        type: "RollingUpdate",
        rollingUpdateConfiguration: { maxUnavailable, maxSurge, partition: 0 },
      },
      // With LeaderReady a gang would wait for workers, which would wait for the leader.
      startupPolicy: "LeaderCreated",
      leaderWorkerTemplate: present({
        size,
        // A group restarts as a whole, because the remaining pods hang in their collectives. Containers that fail while
        // another pod of the group still pulls its image restart alone, because a new group would start the pull again.
        restartPolicy: size === 1 ? undefined : restartsWhole ? "RecreateGroupAfterStart" : "None",
        leaderTemplate: leader,
        workerTemplate: worker,
      }),
    },
  };
}
