import type { ObservedPod } from "./observed.ts";
import { shortageIn } from "./unschedulable.ts";

/** The fields of a pod that describe whether it is ready, or why not. */
export type PodReadiness = Pick<ObservedPod, "name" | "ready" | "failure" | "unschedulable">;

/** Formats the pods as `0 of 2 pods ready, pod d-1: CrashLoopBackOff: exit code 1`. */
export function podsInWords(pods: readonly PodReadiness[], total = pods.length): string {
  const ready = pods.filter((pod) => pod.ready).length;
  return [`${ready} of ${total} pods ready`, ...obstacle(pods)].join(", ");
}

/** Returns the failure of the first pod that fails, or else the reason that the first one without a node waits. */
function obstacle(pods: readonly PodReadiness[]): string[] {
  const broken = pods.find((pod) => pod.failure !== undefined && !pod.ready);
  if (broken !== undefined) return [`pod ${broken.name}: ${broken.failure}`];
  const unplaced = pods.find((pod) => pod.unschedulable !== undefined);
  if (unplaced?.unschedulable === undefined) return [];
  return [`pod ${unplaced.name} is not scheduled: ${shortageIn(unplaced.unschedulable.message)}`];
}
