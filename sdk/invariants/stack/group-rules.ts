import { acceleratorsOfPods } from "../../stack/workloads.ts";
import { label } from "../../topology/names.ts";
import { eachLeaderWorkerSet, eachPodTemplate, rulesOfPack, type StackRule } from "./stack-rule.ts";

const { objectRule } = rulesOfPack("inference-gpu");

const rolloutIsExplicit = objectRule(
  { id: "rollout-is-explicit", guidelines: ["G21"], code: "reference", level: "advisory" },
  {
    title: "A LeaderWorkerSet writes its rolling update out",
    why: "Only the mutating webhook fills it in; without it the controller fails on the object, and with it on all others.",
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
      fix: "Write them, for example 1, 0 and 0.",
    };
  },
);

const rolloutCanMove = objectRule(
  { id: "rollout-can-progress", guidelines: ["G21"], code: "count" },
  {
    title: "A rolling update may take a group down or add one",
    why: "With both 0 no group could ever be replaced; the webhook refuses it.",
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
      given: "has maxUnavailable 0 and maxSurge 0",
      allowed: "one of them above 0",
      fix: "Set maxUnavailable to 1, or maxSurge where there are GPUs to spare.",
    };
  },
);

const groupsRestartWhole = objectRule(
  { id: "groups-restart-whole", guidelines: ["G22"], code: "conflict" },
  {
    title: "A group of several pods restarts as one",
    why: "A pod that comes back alone finds no group: its peers hang in a collective call that never ends.",
    source: "sigs.k8s.io/lws RestartPolicy; NCCL and Ray do not take a lost rank back",
    fix: "Set restartPolicy RecreateGroupOnPodRestart or RecreateGroupAfterStart, and leave the pods' restartPolicy Always.",
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
        fix: "Change it.",
      };
    }
    for (const { path, spec } of pods) {
      if ((spec.restartPolicy ?? "Always") === "Always") continue;
      yield {
        path: [...path, "spec", "restartPolicy"],
        given: `is ${spec.restartPolicy}`,
        allowed: "Always",
        fix: "Remove it.",
      };
    }
  },
);

const groupIsPlacedAlike = objectRule(
  { id: "group-placement-matches", guidelines: ["G35"], code: "conflict" },
  {
    title: "Leader and workers may run on the same nodes",
    why: "Where one half tolerates or selects other nodes, the group can wait for ever with room for the other half.",
    source: "k8s.io/kubernetes: tolerations and nodeSelector are per pod; a group starts whole",
    fix: "Write the same tolerations and nodeSelector in leaderTemplate and workerTemplate.",
  },
  eachLeaderWorkerSet,
  function* ({ pods: [leader, worker] }) {
    if (leader === undefined || worker === undefined) return;
    // A leader without accelerators is meant for other nodes.
    if (acceleratorsOfPods(leader) !== acceleratorsOfPods(worker)) return;
    for (const field of ["nodeSelector", "tolerations"] as const) {
      if (canonical(leader.spec[field]) === canonical(worker.spec[field])) continue;
      yield {
        path: [...worker.path, "spec", field],
        given: "differs from that of the leader",
        allowed: "the same in both templates",
        fix: "Copy it from one to the other.",
      };
    }
  },
);

/** Text that is equal for equal values, whatever the order of keys and of the list. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).sort().join()}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "";
  const entries = Object.entries(value).map(([key, item]) => `${key}:${canonical(item)}`);
  return entries.length === 0 ? "" : `{${entries.sort().join()}}`;
}

const templatesHaveNoRevision = objectRule(
  { id: "templates-have-no-revision", guidelines: ["G37"], code: "conflict" },
  {
    title: "Pod templates carry no revision or hash of the spec",
    why: "Every edit of the spec would restart every GPU pod.",
    source: "InferenceService design: fusioninfer.io/revision is for update detection",
    fix: "Keep the label on the workload, and out of its pod templates.",
  },
  eachPodTemplate,
  function* (pods) {
    if (!(label.revision in pods.labels)) return;
    yield {
      path: [...pods.path, "metadata", "labels", label.revision],
      given: "is set",
      allowed: "on objects only",
      fix: "Remove it from the template.",
    };
  },
);

const subGroupsDivide = objectRule(
  { id: "lws-sub-group-size-divides", guidelines: ["G31"], code: "count" },
  {
    title: "Sub-groups of a LeaderWorkerSet divide its groups",
    why: "The webhook refuses another size, and it cannot be changed later.",
    source: "sigs.k8s.io/lws webhook: size or size - 1 is a multiple of subGroupSize",
    fix: "Choose a subGroupSize that divides size, or size - 1.",
  },
  eachLeaderWorkerSet,
  function* ({ set, object, size }) {
    const subGroup = set.leaderWorkerTemplate.subGroupPolicy?.subGroupSize;
    if (subGroup === undefined || subGroup < 1) return;
    if (subGroup <= size && (size % subGroup === 0 || (size - 1) % subGroup === 0)) return;
    yield {
      path: [object.index, "spec", "leaderWorkerTemplate", "subGroupPolicy", "subGroupSize"],
      given: `is ${subGroup} of ${size} pods`,
      allowed: `a divisor of ${size}${size > 1 ? ` or ${size - 1}` : ""}`,
      fix: "Change it, or the size.",
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
