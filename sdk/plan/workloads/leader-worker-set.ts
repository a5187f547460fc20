import { kinds } from "../../../kubernetes/kinds/index.ts";
import type { Manifest, ObjectMeta } from "../../../kubernetes/values/manifest.ts";
import { present } from "../../../kubernetes/values/present.ts";
import type { PodTemplate } from "../../spec/role.ts";
import { annotated, objectMeta, type PlanContext } from "../object-meta.ts";
import { runTimePluginsOf } from "./pod-plugins.ts";
import { type RoleContext, roleLabels, rolePods } from "./pod-template.ts";

/** The LeaderWorkerSets of one role. */
export function planLeaderWorkerSets(context: PlanContext, role: RoleContext): Manifest[] {
  const { layout, service, plugins } = role;
  const reported = runTimePluginsOf(plugins, layout.role.name);
  const podsOf = rolePods(role);
  return layout.workloads.map(({ name, replicas, size, replicaIndex }) =>
    leaderWorkerSet({
      metadata: annotated(
        objectMeta(context, name, roleLabels(service, layout, replicaIndex)),
        reported,
      ),
      replicas,
      size,
      restartsWhole: true,
      ...podsOf(replicaIndex),
    }),
  );
}

/** What LeaderWorkerSets differ in. */
export interface LeaderWorkerSetParts {
  readonly metadata: ObjectMeta;
  readonly replicas: number;
  /** Pods of a group. */
  readonly size: number;
  /** Whether a failed pod takes its group with it. */
  readonly restartsWhole: boolean;
  /** Set where a group has workers. */
  readonly leader?: PodTemplate | undefined;
  readonly worker: PodTemplate;
}

/** A LeaderWorkerSet (leaderworkerset.x-k8s.io/v1). */
export function leaderWorkerSet(parts: LeaderWorkerSetParts): Manifest {
  const { metadata, replicas, size, restartsWhole, leader, worker } = parts;
  return {
    apiVersion: kinds.LeaderWorkerSet.apiVersion,
    kind: "LeaderWorkerSet",
    metadata,
    spec: {
      replicas,
      // The controller reads the whole of rollingUpdateConfiguration and fails where it is absent.
      rolloutStrategy: {
        type: "RollingUpdate",
        rollingUpdateConfiguration: { maxUnavailable: 1, maxSurge: 0, partition: 0 },
      },
      // With LeaderReady a gang would wait for workers that wait for the leader.
      startupPolicy: "LeaderCreated",
      leaderWorkerTemplate: present({
        size,
        // Half of a restarted group hangs in its collectives: a group restarts as one. While one of its pods still
        // pulls its image, containers that end early restart alone: recreating the group would start the pull again.
        restartPolicy: size === 1 ? undefined : restartsWhole ? "RecreateGroupAfterStart" : "None",
        leaderTemplate: leader,
        workerTemplate: worker,
      }),
    },
  };
}
