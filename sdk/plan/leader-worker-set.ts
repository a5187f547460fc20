import type { Manifest } from "../kubernetes/manifest.ts";
import { present } from "../kubernetes/present.ts";
import { objectMeta, type PlanContext } from "./object-meta.ts";
import { type PodPlacement, roleLabels, rolePods } from "./pod-template.ts";

/** The LeaderWorkerSets of one role (leaderworkerset.x-k8s.io/v1). */
export function planLeaderWorkerSets(context: PlanContext, placement: PodPlacement): Manifest[] {
  const { layout, service } = placement;
  return layout.workloads.map(({ name, replicas, size, replicaIndex }) => {
    const pods = rolePods(placement, replicaIndex);
    return {
      apiVersion: "leaderworkerset.x-k8s.io/v1",
      kind: "LeaderWorkerSet",
      metadata: objectMeta(context, name, roleLabels(service, layout, replicaIndex)),
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
          // Half of a restarted group hangs in its collectives: a group restarts as one.
          restartPolicy: size === 1 ? undefined : "RecreateGroupOnPodRestart",
          leaderTemplate: pods.leader,
          workerTemplate: pods.worker,
        }),
      },
    };
  });
}
