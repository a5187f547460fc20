import {
  leaderName,
  leaderPod,
  lwsLabel,
  type PodManifest,
  revisionOf,
  workerName,
  workerPod,
} from "./lws-pods.ts";
import { isDeleting, isOwnedBy, isReady, type LeaderWorkerSet, type Pod } from "./objects.ts";

/** Changes that a LeaderWorkerSet's groups need next. */
export interface GroupChanges {
  create: PodManifest[];
  /** Leaders to delete in the foreground; their workers go with them. */
  remove: Pod[];
}

/** One group, as it stands. */
export interface Group {
  index: number;
  leader: Pod | undefined;
  /** Workers of this leader; workers of an earlier leader are being deleted. */
  workers: Pod[];
  isReady: boolean;
  isUpdated: boolean;
}

/** The groups of which a leader exists, and those that should exist. */
export function groupsOf(lws: LeaderWorkerSet, pods: readonly Pod[]): Group[] {
  const leaders = new Map(
    pods
      .filter((pod) => pod.metadata.labels?.[lwsLabel.workerIndex] === "0")
      .map((pod) => [Number(pod.metadata.labels?.[lwsLabel.groupIndex]), pod]),
  );
  const revision = revisionOf(lws);
  const indexes = new Set([...leaders.keys(), ...Array(lws.spec.replicas).keys()]);
  return [...indexes]
    .sort((a, b) => a - b)
    .map((index) => groupOf(lws, revision, index, leaders.get(index), pods));
}

function groupOf(
  lws: LeaderWorkerSet,
  revision: string,
  index: number,
  leader: Pod | undefined,
  pods: readonly Pod[],
): Group {
  const workers = leader === undefined ? [] : pods.filter((pod) => isOwnedBy(pod, leader));
  const members = leader === undefined ? [] : [leader, ...workers];
  return {
    index,
    leader,
    workers,
    isReady: members.length === lws.spec.leaderWorkerTemplate.size && members.every(isReady),
    isUpdated:
      members.length > 0 &&
      members.every((pod) => pod.metadata.labels?.[lwsLabel.revision] === revision),
  };
}

/** @param bereft uids of leaders that lost a worker */
export function groupChanges(
  lws: LeaderWorkerSet,
  pods: readonly Pod[],
  bereft: ReadonlySet<string> = new Set(),
): GroupChanges {
  const groups = groupsOf(lws, pods);
  const names = new Set(pods.map((pod) => pod.metadata.name));
  const surplus = groups.filter(({ index }) => index >= lws.spec.replicas);
  const wanted = groups.filter(({ index }) => index < lws.spec.replicas);
  const broken = wanted.filter((group) => mustRestart(lws, group, bereft));
  const outdated = nextToUpdate(lws, wanted);
  const remove = new Set(
    [...surplus, ...broken, ...outdated].flatMap(({ leader }) => leader ?? []),
  );
  return {
    create: wanted.flatMap((group) =>
      group.leader !== undefined && remove.has(group.leader) ? [] : missing(lws, group, names),
    ),
    remove: [...remove].filter((leader) => !isDeleting(leader)),
  };
}

/** Pods that the group lacks. A name that an earlier pod still holds waits. */
function missing(
  lws: LeaderWorkerSet,
  { index, leader }: Group,
  names: ReadonlySet<string>,
): PodManifest[] {
  if (leader === undefined) {
    return names.has(leaderName(lws.metadata.name, index)) ? [] : [leaderPod(lws, index)];
  }
  // Workers have their leader's template; the template of an earlier revision is not known here.
  const isCurrent = leader.metadata.labels?.[lwsLabel.revision] === revisionOf(lws);
  if (isDeleting(leader) || !isCurrent) return [];
  if (lws.spec.startupPolicy === "LeaderReady" && !isReady(leader)) return [];
  return Array.from({ length: lws.spec.leaderWorkerTemplate.size - 1 }, (_, at) => at + 1)
    .filter((worker) => !names.has(workerName(leader.metadata.name, worker)))
    .map((worker) => workerPod(lws, leader, worker));
}

/** A group restarts whole when one of its pods is deleted or one of its containers has restarted. */
function mustRestart(
  lws: LeaderWorkerSet,
  { leader, workers }: Group,
  bereft: ReadonlySet<string>,
): boolean {
  const { restartPolicy, size } = lws.spec.leaderWorkerTemplate;
  if (leader === undefined) return false;
  const members = [leader, ...workers];
  const isPending =
    members.length < size || members.some(({ status }) => status.phase === "Pending");
  const isBroken =
    bereft.has(leader.metadata.uid) || members.some((pod) => isDeleting(pod) || hasRestarted(pod));
  switch (restartPolicy) {
    case "RecreateGroupOnPodRestart":
      return isBroken;
    case "RecreateGroupAfterStart":
      return !isPending && isBroken;
    default:
      return false;
  }
}

const hasRestarted = ({ status }: Pod) =>
  [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])].some(
    ({ restartCount }) => restartCount > 0,
  );

/**
 * A changed template reaches the groups one by one, the highest index first, each after the ones above it are
 * ready: StatefulSets take down one leader at a time unless MaxUnavailableStatefulSet is switched on.
 */
function nextToUpdate(lws: LeaderWorkerSet, groups: readonly Group[]): Group[] {
  const partition = lws.spec.rolloutStrategy?.rollingUpdateConfiguration?.partition ?? 0;
  const next = groups.findLast(
    ({ index, leader, isUpdated }) =>
      index >= partition &&
      leader !== undefined &&
      !isUpdated &&
      leader.metadata.labels?.[lwsLabel.revision] !== revisionOf(lws),
  );
  if (next === undefined) return [];
  const above = groups.filter(({ index }) => index > next.index);
  return above.every((group) => group.isReady && group.isUpdated) ? [next] : [];
}
