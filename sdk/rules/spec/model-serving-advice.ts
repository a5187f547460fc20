import type { Invariant } from "../../invariant.ts";
import { kthenaLabel } from "../../names.ts";
import { type ModelServingSpec, sizeOf } from "../../spec/model-serving.ts";

/** Warnings in the preview for fields of a ModelServing that have less effect here than in Kthena. */

type Advice = Invariant<ModelServingSpec>;

const restartsAtOnce: Advice = {
  id: "model-serving-restarts-at-once",
  title: "LeaderWorkerSet recreates an instance without a grace period",
  why: "LeaderWorkerSet has no grace period: if a container restarts, all pods of its instance are recreated immediately.",
  source: "Kthena ModelServing: template.restartGracePeriodSeconds; sigs.k8s.io/lws restartPolicy",
  code: "conflict",
  *check({ recoveryPolicy, template: { restartGracePeriodSeconds: seconds, roles } }) {
    if (seconds === 0 || recoveryPolicy === "None" || roles.every((role) => sizeOf(role) === 1))
      return;
    yield {
      path: ["template", "restartGracePeriodSeconds"],
      given: `is ${seconds}, but LeaderWorkerSet recreates an instance immediately`,
      allowed: "0",
      fix: "Set it to 0, or set recoveryPolicy: None, so that only the container restarts.",
    };
  },
};

const groupsRestartByInstance: Advice = {
  id: "model-serving-groups-restart-by-instance",
  title: "A failed pod causes its role instance to be recreated, not the whole serving group",
  why: "Each role is a separate LeaderWorkerSet and restarts on its own, so instances must reconnect by themselves.",
  source: "Kthena ModelServing: recoveryPolicy ServingGroupRecreate; sigs.k8s.io/lws restartPolicy",
  code: "conflict",
  *check({ recoveryPolicy, template: { roles } }) {
    const instances = roles.reduce((sum, { replicas }) => sum + replicas, 0);
    if (recoveryPolicy !== "ServingGroupRecreate" || instances <= 1) return;
    yield {
      path: ["recoveryPolicy"],
      given: `is ServingGroupRecreate, and a serving group has ${instances} instances, which restart separately`,
      allowed: "RoleRecreate or None, or a serving group with one instance",
      fix: "Set recoveryPolicy to RoleRecreate, or put pods that must restart together into one role as entry and workers.",
    };
  },
};

const groupsUpdateConcurrently: Advice = {
  id: "model-serving-groups-update-concurrently",
  title: "Serving groups are updated concurrently",
  why: "Each serving group has its own LeaderWorkerSets, which roll out independently. Nothing limits how many groups are down.",
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
      allowed: "a partition that keeps groups on their old template",
      fix: "Update step by step: set partition to the number of groups that keep their pods, then lower it.",
    };
  },
};

const ownLabels: readonly string[] = Object.values(kthenaLabel);

const ownLabelsAreSet: Advice = {
  id: "model-serving-own-labels-are-set",
  title: "Templates do not set the labels that select pods of a ModelServing",
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
            given: "is set by hand, and the plan overwrites it",
            allowed: "other labels",
            fix: "Remove the label.",
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
