import type { Invariant } from "../invariant.ts";
import { type ModelServingSpec, sizeOf } from "../spec/model-serving.ts";
import { kthenaLabel } from "../topology/names.ts";

/** What of a ModelServing means less here than in Kthena: its author is warned at preview. */

type Advice = Invariant<ModelServingSpec>;

const restartsAtOnce: Advice = {
  id: "model-serving-restarts-at-once",
  title: "An instance is recreated without a grace period",
  why: "LeaderWorkerSet has no such period: a container that restarts takes the pods of its instance with it.",
  source: "Kthena ModelServing: template.restartGracePeriodSeconds; sigs.k8s.io/lws restartPolicy",
  code: "conflict",
  *check({ recoveryPolicy, template: { restartGracePeriodSeconds: seconds, roles } }) {
    if (seconds === 0 || recoveryPolicy === "None" || roles.every((role) => sizeOf(role) === 1))
      return;
    yield {
      path: ["template", "restartGracePeriodSeconds"],
      given: `is ${seconds}, and LeaderWorkerSet recreates an instance at once`,
      allowed: "0",
      fix: "Set it to 0, or recoveryPolicy: None, with which a container restarts alone in its pod.",
    };
  },
};

const groupsRestartByInstance: Advice = {
  id: "model-serving-groups-restart-by-instance",
  title: "A failed pod recreates its instance of a role, not the whole serving group",
  why: "Roles are LeaderWorkerSets, which restart apart: instances that must meet again have to do so by themselves.",
  source: "Kthena ModelServing: recoveryPolicy ServingGroupRecreate; sigs.k8s.io/lws restartPolicy",
  code: "conflict",
  *check({ recoveryPolicy, template: { roles } }) {
    const instances = roles.reduce((sum, { replicas }) => sum + replicas, 0);
    if (recoveryPolicy !== "ServingGroupRecreate" || instances <= 1) return;
    yield {
      path: ["recoveryPolicy"],
      given: `is ServingGroupRecreate, and a serving group has ${instances} instances, which restart apart`,
      allowed: "RoleRecreate or None, or a group of one instance",
      fix: "Set RoleRecreate, or put pods that restart together into one role as entry and workers.",
    };
  },
};

const groupsUpdateConcurrently: Advice = {
  id: "model-serving-groups-update-concurrently",
  title: "Serving groups are updated concurrently",
  why: "Each has LeaderWorkerSets of its own, which roll out by themselves: nothing limits how many groups are down.",
  source: "Kthena ModelServing: rolloutStrategy ServingGroupRollingUpdate",
  code: "conflict",
  *check({ replicas, rolloutStrategy }) {
    const { type, rollingUpdateConfiguration: limits } = rolloutStrategy ?? {};
    if (type !== "ServingGroupRollingUpdate" || limits?.maxUnavailable === undefined) return;
    if (replicas < 2 || limits.maxUnavailable === replicas || limits.maxUnavailable === "100%")
      return;
    yield {
      path: ["rolloutStrategy", "rollingUpdateConfiguration", "maxUnavailable"],
      given: `is ${limits.maxUnavailable}, and all ${replicas} serving groups are updated concurrently`,
      allowed: "groups that partition keeps back",
      fix: "Update them step by step: set partition to the number of groups that keep their pods, and lower it.",
    };
  },
};

const ownLabels: readonly string[] = Object.values(kthenaLabel);

const ownLabelsAreSet: Advice = {
  id: "model-serving-own-labels-are-set",
  title: "Labels by which pods of a ModelServing are found have the plan's values",
  why: "Gangs, routers and policies select pods by them.",
  source: "Kthena ModelServing: labels injected by its controller",
  code: "conflict",
  *check({ template: { roles } }) {
    for (const [index, role] of roles.entries()) {
      for (const field of ["entryTemplate", "workerTemplate"] as const) {
        for (const key of Object.keys(role[field]?.metadata?.labels ?? {})) {
          if (!ownLabels.includes(key)) continue;
          yield {
            path: ["template", "roles", index, field, "metadata", "labels", key],
            given: "is set by hand, and overwritten",
            allowed: "other labels",
            fix: "Remove it.",
          };
        }
      }
    }
  },
};

export const modelServingAdvice: readonly Advice[] = [
  restartsAtOnce,
  groupsRestartByInstance,
  groupsUpdateConcurrently,
  ownLabelsAreSet,
];
