import { templateHashLabel } from "../names.ts";
import { selects } from "./llm-server-pool-status.ts";
import type { ObservedPod, ObservedReplicaSet, ObservedWorkload } from "./observed.ts";

/**
 * Returns the ready pods that a Deployment created. The author of a pod can forge its labels and owner references, so
 * both are compared with the ReplicaSet: its uid, its selector with the hash of its template, and the uid of its
 * Deployment. A pod that copies all of these exceeds the replicas, and the ReplicaSet's controller deletes it. Until
 * then, only the oldest pods count, up to the Deployment's replicas.
 */
export function ownPods(
  pods: readonly ObservedPod[],
  deployment: ObservedWorkload | undefined,
  replicaSetOf: (name: string) => ObservedReplicaSet | undefined,
): ObservedPod[] {
  if (deployment === undefined) return [];
  const isOwn = ({ replicaSet, labels, ready, deleting }: ObservedPod) => {
    const set = replicaSet && replicaSetOf(replicaSet.name);
    return (
      ready &&
      !deleting &&
      set !== undefined &&
      set.uid === replicaSet?.uid &&
      set.deployment.uid === deployment.uid &&
      set.deployment.name === deployment.name &&
      set.selector[templateHashLabel] !== undefined &&
      selects(set.selector, labels)
    );
  };
  return pods.filter(isOwn).sort(byAge).slice(0, deployment.wanted);
}

const byAge = (a: ObservedPod, b: ObservedPod) =>
  Date.parse(a.created) - Date.parse(b.created) || (a.name < b.name ? -1 : 1);
