import { label } from "../../names.ts";
import type { LeaderWorkerSetShape } from "../../stack/shapes.ts";
import { acceleratorsOfPods } from "../../stack/workloads.ts";
import {
  eachLeaderWorkerSet,
  eachPodTemplate,
  rulesOfPack,
  type StackRule,
} from "../helpers/stack-rule.ts";

const { objectRule } = rulesOfPack("inference-gpu");

const rolloutIsExplicit = objectRule(
  { id: "rollout-is-explicit", guidelines: ["G21"], code: "reference", level: "advisory" },
  {
    title: "A LeaderWorkerSet sets its rolling update explicitly",
    why: "Only the mutating webhook sets the default. Without the webhook the controller fails on this object, and then on all other LeaderWorkerSets.",
    source:
      "sigs.k8s.io/lws controller: rolloutStrategy.rollingUpdateConfiguration is read unchecked",
    fix: "Add rolloutStrategy with rollingUpdateConfiguration {maxUnavailable: 1, maxSurge: 0, partition: 0}.",
  },
  eachLeaderWorkerSet,
  function* ({ set, object }) {
    if (set.rolloutStrategy?.rollingUpdateConfiguration !== undefined) return;
    yield {
      path: [object.index, "spec", "rolloutStrategy", "rollingUpdateConfiguration"],
      given: "is missing",
      allowed: "maxUnavailable, maxSurge and partition",
      fix: "Set them, for example to 1, 0 and 0.",
    };
  },
);

const rolloutCanMove = objectRule(
  { id: "rollout-can-progress", guidelines: ["G21"], code: "count" },
  {
    title: "A rolling update may stop a group or add one",
    why: "If both are 0, no group can be replaced, and the webhook rejects the object.",
    source: "sigs.k8s.io/lws webhook: maxUnavailable and maxSurge must not both be 0",
    fix: "Set maxUnavailable or maxSurge to at least 1.",
  },
  eachLeaderWorkerSet,
  function* ({ set, object, replicas }) {
    const update = set.rolloutStrategy?.rollingUpdateConfiguration;
    if (update === undefined || replicas === 0) return;
    const { maxUnavailable = 1, maxSurge = 0 } = update;
    if (![maxUnavailable, maxSurge].every((amount) => /^0+%?$/.test(String(amount)))) return;
    yield {
      path: [object.index, "spec", "rolloutStrategy", "rollingUpdateConfiguration"],
      given: "sets maxUnavailable and maxSurge to 0",
      allowed: "at least one of them above 0",
      fix: "Set maxUnavailable to 1, or maxSurge to 1 if there are spare GPUs.",
    };
  },
);

const groupsRestartWhole = objectRule(
  { id: "groups-restart-whole", guidelines: ["G22"], code: "conflict" },
  {
    title: "A group of several pods restarts as a whole",
    why: "A pod that restarts alone cannot rejoin its group, and the other pods hang in a collective operation.",
    source: "sigs.k8s.io/lws RestartPolicy; NCCL and Ray do not take a lost rank back",
    fix: "Set the LeaderWorkerSet's restartPolicy to RecreateGroupOnPodRestart or RecreateGroupAfterStart, and leave the restartPolicy of the pods at Always.",
  },
  eachLeaderWorkerSet,
  function* ({ set, object, pods }) {
    if (pods.length < 2) return;
    const { restartPolicy = "RecreateGroupOnPodRestart" } = set.leaderWorkerTemplate;
    if (!restartPolicy.startsWith("RecreateGroup")) {
      yield {
        path: [object.index, "spec", "leaderWorkerTemplate", "restartPolicy"],
        given: `is ${restartPolicy}`,
        allowed: "RecreateGroupOnPodRestart, RecreateGroupAfterStart",
        fix: "Change restartPolicy to an allowed value.",
      };
    }
    for (const { path, spec } of pods) {
      if ((spec.restartPolicy ?? "Always") === "Always") continue;
      yield {
        path: [...path, "spec", "restartPolicy"],
        given: `is ${spec.restartPolicy}`,
        allowed: "Always",
        fix: "Remove restartPolicy from the pod template.",
      };
    }
  },
);

const groupIsPlacedAlike = objectRule(
  { id: "group-placement-matches", guidelines: ["G35"], code: "conflict" },
  {
    title: "Leader and workers can run on the same nodes",
    why: "If leader and workers select or tolerate different nodes, the group can wait forever although there is capacity for one of them.",
    source: "k8s.io/kubernetes: tolerations and nodeSelector are per pod; a group starts whole",
    fix: "Set the same tolerations and nodeSelector in leaderTemplate and workerTemplate.",
  },
  eachLeaderWorkerSet,
  function* ({ pods: [leader, worker] }) {
    if (leader === undefined || worker === undefined) return;
    // A leader without accelerators is meant to run on other nodes.
    if (acceleratorsOfPods(leader) !== acceleratorsOfPods(worker)) return;
    for (const field of ["nodeSelector", "tolerations"] as const) {
      if (canonical(leader.spec[field]) === canonical(worker.spec[field])) continue;
      yield {
        path: [...worker.path, "spec", field],
        given: "differs from leaderTemplate",
        allowed: "the same in both templates",
        fix: "Copy it from one template to the other.",
      };
    }
  },
);

/** Returns the same string for equal values, independent of the order of keys and list items. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).sort().join()}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "";
  const entries = Object.entries(value).map(([key, item]) => `${key}:${canonical(item)}`);
  return entries.length === 0 ? "" : `{${entries.sort().join()}}`;
}

const templatesHaveNoRevision = objectRule(
  { id: "templates-have-no-revision", guidelines: ["G37"], code: "conflict" },
  {
    title: "Pod templates contain no revision or hash of the spec",
    why: "With such a label every change of the spec would restart all GPU pods.",
    source: "InferenceService design: fusioninfer.io/revision is for update detection",
    fix: "Set the label on the workload, not in its pod templates.",
  },
  eachPodTemplate,
  function* (pods) {
    if (!(label.revision in pods.labels)) return;
    yield {
      path: [...pods.path, "metadata", "labels", label.revision],
      given: "is set",
      allowed: "this label only on the workload",
      fix: "Remove the label from the template.",
    };
  },
);

/** Reports whether the sub-groups of a LeaderWorkerSet contain workers only. */
export const excludesLeader = (set: LeaderWorkerSetShape | undefined): boolean =>
  set?.leaderWorkerTemplate.subGroupPolicy?.subGroupPolicyType === "LeaderExcluded";

const subGroupsDivide = objectRule(
  { id: "lws-sub-group-size-divides", guidelines: ["G31"], code: "count" },
  {
    title: "The sub-group size of a LeaderWorkerSet divides its group size",
    why: "The webhook rejects any other size, and the size cannot be changed later.",
    source:
      "sigs.k8s.io/lws webhook: size or size - 1 is a multiple of subGroupSize; size - 1 with LeaderExcluded",
    fix: "Choose a subGroupSize that divides size, or size - 1.",
  },
  eachLeaderWorkerSet,
  function* ({ set, object, size }) {
    const { subGroupSize: subGroup } = set.leaderWorkerTemplate.subGroupPolicy ?? {};
    if (subGroup === undefined) return;
    const isExcluded = excludesLeader(set);
    const divided = [...(isExcluded ? [] : [size]), ...(size > 1 || isExcluded ? [size - 1] : [])];
    if (subGroup >= 1 && subGroup <= size && divided.some((pods) => pods % subGroup === 0)) return;
    yield {
      path: [object.index, "spec", "leaderWorkerTemplate", "subGroupPolicy", "subGroupSize"],
      given: `is ${subGroup}, but a group has ${size} pods${isExcluded ? ", and the sub-groups exclude the leader" : ""}`,
      allowed: `a divisor of ${divided.join(" or ")}`,
      fix: "Change subGroupSize or size.",
    };
  },
);

export const groupRules: readonly StackRule[] = [
  rolloutIsExplicit,
  rolloutCanMove,
  groupsRestartWhole,
  groupIsPlacedAlike,
  templatesHaveNoRevision,
  subGroupsDivide,
];
