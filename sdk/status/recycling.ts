import { label } from "../topology/names.ts";
import { recycledTypes } from "../topology/recycling.ts";
import { timestampOf } from "./conditions.ts";
import type { ObservedPod } from "./observed.ts";
import type { RecycledPod } from "./schemas.ts";

/**
 * Which pods of a service are deleted because their prefills fail: an engine that nothing but a new start mends. What
 * fails by the fault of others, or with many at once, is left alone: deleting pods would only make it worse.
 */

/** What the pickers of a pool say of the prefills of its pods. */
export interface FailingPods {
  /** Seconds by pod, `namespace/name`; 0 for one that works for a picker. */
  readonly seconds: ReadonlyMap<string, number>;
  /** When the pickers were asked, milliseconds since 1970. */
  readonly readAt: number;
}

export interface RecycleView {
  /** Pods of the service that may be deleted in any hour. */
  readonly podsPerHour: number;
  /** All pods of the service. */
  readonly pods: readonly ObservedPod[];
  /** Undefined where no picker was asked yet. */
  readonly failing: FailingPods | undefined;
  /** As the status has them. */
  readonly before: readonly RecycledPod[];
  /** RFC 3339. */
  readonly now: string;
}

export interface Recycling {
  /** What the status is to say before anything is deleted, so that no other controller forgets it. */
  readonly recycledPods: readonly RecycledPod[];
  /** The pod to delete then. */
  readonly pod: ObservedPod | undefined;
  /** When the first of the pods leaves the status, RFC 3339. */
  readonly requeueAt: string | undefined;
}

const hourMs = 3_600_000;

/** Seconds for which a pod has to fail: back-off has then probed each of its pairs several times. */
export const recycleAfterSeconds = 60;

/** A reading that is older, in milliseconds, is not acted upon. */
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

/** The pod that has failed for longest, where it may go; undefined where none may. */
function worst(
  { pods, failing }: RecycleView,
  recycled: readonly RecycledPod[],
  now: number,
): ObservedPod | undefined {
  if (failing === undefined || now - failing.readAt > longestReadingMs) return undefined;
  const pairs = pods.filter(({ labels }) => isRecycled.has(labels[label.componentType]));
  // One at a time: the next one goes when the last one is back. It has the same name.
  const isBack = ({ name }: RecycledPod) => pairs.some((pod) => pod.name === name && pod.ready);
  if (pairs.some(({ deleting }) => deleting) || !recycled.every(isBack)) return undefined;
  const secondsOf = ({ namespace, name }: ObservedPod) =>
    failing.seconds.get(`${namespace}/${name}`) ?? 0;
  const isFailing = (pod: ObservedPod) => secondsOf(pod) >= recycleAfterSeconds;
  return pairs
    .filter((pod) => {
      if (!pod.ready || !isFailing(pod)) return false;
      // A pod of the same name that was made since is another one.
      if (Date.parse(pod.created) + secondsOf(pod) * 1_000 > failing.readAt) return false;
      // If nobody works, something fails that they share, which a new start does not mend.
      const role = pod.labels[label.roleName];
      return pairs.some(
        ({ namespace, name, labels }) =>
          labels[label.roleName] === role && failing.seconds.get(`${namespace}/${name}`) === 0,
      );
    })
    .sort((a, b) => secondsOf(b) - secondsOf(a) || (a.name < b.name ? -1 : 1))[0];
}
