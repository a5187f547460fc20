import { endpointPickerName } from "../names.ts";

/**
 * Returns the longest valid name of a LeaderWorkerSet. Its webhook allows 63 characters, but a name longer than this
 * creates no pods: every pod has the label controller-revision-hash, which is the name of its StatefulSet, a dash and
 * up to 10 characters, in at most 63 (k8s.io/kubernetes, pkg/controller/history). The StatefulSet of the workers is
 * named after the leader pod, `{lws}-{group}`.
 */
export function workloadNameBudget(size: number, groups: number): number {
  const statefulSet = 63 - "-".length - 10;
  return size === 1 ? statefulSet : statefulSet - "-".length - digits(Math.max(groups - 1, 0));
}

const digits = (count: number) => String(count).length;

/** Longest name of a pool: the Service of its endpoint picker is named after it. */
export const poolNameBudget = 63 - endpointPickerName("").length;
