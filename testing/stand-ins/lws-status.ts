import type { LeaderWorkerSetStatus } from "../../kubernetes/kinds/leader-worker-set.ts";
import { groupsOf } from "./lws-groups.ts";
import { lwsLabel } from "./lws-pods.ts";
import type { LeaderWorkerSet, Pod } from "./objects.ts";

type Conditions = NonNullable<LeaderWorkerSetStatus["conditions"]>;
type ConditionType = "Available" | "Progressing" | "UpdateInProgress";

/** Status of a LeaderWorkerSet, counted in groups. `now` is the time of conditions that change, RFC 3339. */
export function lwsStatus(
  lws: LeaderWorkerSet,
  pods: readonly Pod[],
  now: string,
): LeaderWorkerSetStatus {
  const { replicas } = lws.spec;
  const partition = lws.spec.rolloutStrategy?.rollingUpdateConfiguration?.partition ?? 0;
  const existing = groupsOf(lws, pods).filter(({ leader }) => leader !== undefined);
  const wanted = existing.filter(({ index }) => index < replicas);
  const updating = wanted.filter(({ index, isUpdated }) => index >= partition && !isUpdated);
  const isAvailable = wanted.filter((group) => group.isReady).length === replicas;
  const holding: ConditionType[] =
    updating.length > 0
      ? ["UpdateInProgress", "Progressing"]
      : isAvailable
        ? ["Available"]
        : ["Progressing"];
  return {
    replicas: existing.length,
    readyReplicas: existing.filter((group) => group.isReady).length,
    updatedReplicas: existing.filter((group) => group.isUpdated).length,
    observedGeneration: lws.metadata.generation ?? 0,
    hpaPodSelector: `${lwsLabel.name}=${lws.metadata.name},${lwsLabel.workerIndex}=0`,
    conditions: conditions(lws, holding, now),
  };
}

const wording: Record<ConditionType, { reason: string; message: string }> = {
  Available: { reason: "AllGroupsReady", message: "every group is ready" },
  Progressing: { reason: "GroupsProgressing", message: "groups are starting" },
  UpdateInProgress: { reason: "GroupsUpdating", message: "groups take the changed template" },
};

/** Available excludes the other two; those two do not exclude each other. */
const excludes = (a: string, b: string) => a !== b && (a === "Available" || b === "Available");

function conditions(
  lws: LeaderWorkerSet,
  holding: readonly ConditionType[],
  now: string,
): Conditions {
  const before: Conditions = lws.status?.conditions ?? [];
  const kept = before
    .filter(({ type }) => !holding.some((held) => held === type))
    .map((condition) =>
      condition.status === "True" && holding.some((held) => excludes(held, condition.type))
        ? { ...condition, status: "False" as const, lastTransitionTime: now }
        : condition,
    );
  const held = holding.map((type) => {
    const earlier = before.find(
      (condition) => condition.type === type && condition.status === "True",
    );
    return {
      type,
      status: "True" as const,
      ...wording[type],
      lastTransitionTime: earlier?.lastTransitionTime ?? now,
      observedGeneration: lws.metadata.generation ?? 0,
    };
  });
  return [...kept, ...held].sort((a, b) => a.type.localeCompare(b.type));
}
