import { label } from "../names.ts";
import { recycledTypes } from "../topology/recycling.ts";
import { timestampOf } from "./conditions.ts";
import type { ObservedPod } from "./observed.ts";
import type { RecycledPod } from "./schemas.ts";

/**
 * Selects the pods of a service to delete because their prefills fail: only a new start repairs such an engine. Pods
 * that fail because of other pods, or together with many other pods, are kept: deleting them would make it worse.
 */

/** Prefill failures of a pool's pods, as its pickers report them. */
export interface FailingPods {
  /** Seconds of failures by pod, `namespace/name`; 0 for a pod that works for any picker. */
  readonly seconds: ReadonlyMap<string, number>;
  /** Time of the poll, in milliseconds since 1970. */
  readonly readAt: number;
}

export interface RecycleView {
  /** Pods of the service that may be deleted in any hour. */
  readonly podsPerHour: number;
  /** All pods of the service. */
  readonly pods: readonly ObservedPod[];
  /** Undefined if no picker has been polled yet. */
  readonly failing: FailingPods | undefined;
  /** Recycled pods in the current status. */
  readonly before: readonly RecycledPod[];
  /** RFC 3339. */
  readonly now: string;
}

export interface Recycling {
  /** Recycled pods to write to the status before the deletion, so that another controller counts them too. */
  readonly recycledPods: readonly RecycledPod[];
  /** The pod to delete after that. */
  readonly pod: ObservedPod | undefined;
  /** Time at which the first of the pods leaves the status, RFC 3339. */
  readonly requeueAt: string | undefined;
}

const hourMs = 3_600_000;

/** Time for which a pod must fail, in seconds. By then, back-off has probed each of its pairs several times. */
export const recycleAfterSeconds = 60;

/** Age after which a reading is ignored, in ms. */
const longestReadingMs = 120_000;

const isRecycled: ReadonlySet<string | undefined> = new Set(recycledTypes);

export function recycle(view: RecycleView): Recycling {
  const now = Date.parse(view.now);
  const kept = view.before.filter(({ time }) => now - Date.parse(time) < hourMs);
  const oldest = kept.map(({ time }) => Date.parse(time)).sort((a, b) => a - b)[0];
  const requeueAt = oldest === undefined ? undefined : timestampOf(oldest + hourMs);
  const unfinished = view.pods.find(
    ({ uid, deleting }) => !deleting && kept.some((each) => each.uid === uid),
  );
  if (unfinished !== undefined) return { recycledPods: kept, pod: unfinished, requeueAt };
  const pod = kept.length < view.podsPerHour ? worst(view, kept, now) : undefined;
  if (pod === undefined) return { recycledPods: kept, pod, requeueAt };
  const { name, uid } = pod;
  return {
    recycledPods: [...kept, { name, uid, time: view.now }],
    pod,
    requeueAt: requeueAt ?? timestampOf(now + hourMs),
  };
}

/** Returns the pod that has failed longest and may be deleted; undefined if there is none. */
function worst(
  { pods, failing }: RecycleView,
  recycled: readonly RecycledPod[],
  now: number,
): ObservedPod | undefined {
  if (failing === undefined || now - failing.readAt > longestReadingMs) return undefined;
  const pairs = pods.filter(({ labels }) => isRecycled.has(labels[label.componentType]));
  // One at a time: the replacement of the last pod, which has the same name, must be ready first.
  const isBack = ({ name }: RecycledPod) => pairs.some((pod) => pod.name === name && pod.ready);
  if (pairs.some(({ deleting }) => deleting) || !recycled.every(isBack)) return undefined;
  const secondsOf = ({ namespace, name }: ObservedPod) =>
    failing.seconds.get(`${namespace}/${name}`) ?? 0;
  const isFailing = (pod: ObservedPod) => secondsOf(pod) >= recycleAfterSeconds;
  return pairs
    .filter((pod) => {
      if (!pod.ready || !isFailing(pod)) return false;
      // A pod that was created after the failures began is a replacement with the same name.
      if (Date.parse(pod.created) + secondsOf(pod) * 1_000 > failing.readAt) return false;
      // If no pod of the role works, the cause is shared, and a new start does not repair it.
      const role = pod.labels[label.roleName];
      return pairs.some(
        ({ namespace, name, labels }) =>
          labels[label.roleName] === role && failing.seconds.get(`${namespace}/${name}`) === 0,
      );
    })
    .sort((a, b) => secondsOf(b) - secondsOf(a) || (a.name < b.name ? -1 : 1))[0];
}
