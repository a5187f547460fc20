import { leaderPod, type PodManifest, workerPod } from "./lws-pods.ts";
import type { LeaderWorkerSet, Pod } from "./objects.ts";

/** LeaderWorkerSets and pods for tests, as an API server would answer them. */

let uids = 0;
const live = () => ({
  uid: `uid-${++uids}`,
  resourceVersion: "1",
  creationTimestamp: "2026-01-01T00:00:00Z",
});

interface LwsExample {
  name?: string;
  annotations?: Record<string, string>;
  spec?: Partial<LeaderWorkerSet["spec"]>;
  template?: Partial<LeaderWorkerSet["spec"]["leaderWorkerTemplate"]>;
}

/** One group of one pod by default. */
export function lwsExample({
  name = "m",
  annotations,
  spec,
  template,
}: LwsExample = {}): LeaderWorkerSet {
  return {
    apiVersion: "leaderworkerset.x-k8s.io/v1",
    kind: "LeaderWorkerSet",
    metadata: {
      name,
      namespace: "ns",
      generation: 1,
      ...(annotations && { annotations }),
      ...live(),
    },
    spec: {
      replicas: 1,
      startupPolicy: "LeaderCreated",
      rolloutStrategy: {
        rollingUpdateConfiguration: { maxUnavailable: 1, maxSurge: 0, partition: 0 },
      },
      leaderWorkerTemplate: {
        size: 1,
        workerTemplate: { spec: { containers: [{ name: "engine" }] } },
        restartPolicy: "RecreateGroupOnPodRestart",
        ...template,
      },
      ...spec,
    },
  };
}

/** The pods of some groups, all ready. */
export function groupPods(lws: LeaderWorkerSet, groups: readonly number[]): Pod[] {
  return groups.flatMap((group) => {
    const leader = readyPod(leaderPod(lws, group));
    const workers = Array.from({ length: lws.spec.leaderWorkerTemplate.size - 1 }, (_, at) =>
      readyPod(workerPod(lws, leader, at + 1)),
    );
    return [leader, ...workers];
  });
}

export function readyPod(manifest: PodManifest): Pod {
  return {
    ...manifest,
    metadata: { ...manifest.metadata, ...live() },
    status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
  };
}

/** The pods, one of them changed. */
export const withPod = (pods: readonly Pod[], name: string, change: (pod: Pod) => Pod): Pod[] =>
  pods.map((pod) => (pod.metadata.name === name ? change(pod) : pod));

export const notReady = (pod: Pod): Pod => ({ ...pod, status: { phase: "Running" } });

export const pending = (pod: Pod): Pod => ({ ...pod, status: { phase: "Pending" } });

export const deleted = (pod: Pod): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, deletionTimestamp: "2026-01-01T00:00:01Z" },
});

export const restarted = (pod: Pod): Pod => ({
  ...pod,
  status: { ...pod.status, containerStatuses: [{ name: "engine", restartCount: 1 }] },
});
