import { z } from "zod";
import { kinds } from "../../../kubernetes/kinds/index.ts";
import { groupKind } from "../../../kubernetes/kinds/kind.ts";
import {
  formatQuantity,
  parseQuantity,
  type Quantity,
} from "../../../kubernetes/values/quantity.ts";
import { podResources, scaled, sum } from "../../engines/accelerators/pod-resources.ts";
import { label } from "../../names.ts";
import { type Gang, gangOf } from "../../stack/gangs.ts";
import type {
  AutoscalerShape,
  DisruptionBudgetShape,
  QueueShape,
  QuotaShape,
} from "../../stack/shapes.ts";
import type { Stack } from "../../stack/stack.ts";
import { type StackObject, specsOf, type TypedObject } from "../../stack/stack-object.ts";
import type { PodTemplateUse, Workload } from "../../stack/workloads.ts";
import {
  eachGang,
  rulesOfPack,
  type StackRule,
  type Subjects,
  wholeStack,
} from "../helpers/stack-rule.ts";
import { autoscalerKinds, scaledObjectKind } from "./scaler-rules.ts";

/** Rules on the objects that scale a gang, and on the limits of its size. */

const { stackRule } = rulesOfPack("inference-gang");

/** A HorizontalPodAutoscaler or a ScaledObject of KEDA. */
export type Autoscaler = TypedObject<AutoscalerShape>;

export const eachAutoscaler: Subjects<Autoscaler> = {
  of: (stack) => specsOf<AutoscalerShape>(stack, ...autoscalerKinds),
  needsPods: false,
};

/** Returns each autoscaler with the LeaderWorkerSet that it scales. */
function scaledSets(stack: Stack): Array<{ scaler: TypedObject<AutoscalerShape>; set: Workload }> {
  return specsOf<AutoscalerShape>(stack, ...autoscalerKinds).flatMap((scaler) => {
    const { kind, name } = scaler.spec.scaleTargetRef;
    if (kind !== "LeaderWorkerSet") return [];
    return stack.workloads
      .filter(
        (workload) =>
          workload.set !== undefined &&
          workload.name === name &&
          workload.namespace === scaler.namespace,
      )
      .map((set) => ({ scaler, set }));
  });
}

const serviceOf = ({ manifest }: StackObject) => manifest.metadata.labels?.[label.service];

/** Field with the minimum of an autoscaler. */
export const minimumField = ({ object }: Autoscaler) =>
  object.kind === scaledObjectKind ? "minReplicaCount" : "minReplicas";

export const minimumOf = ({ object, spec }: Autoscaler) =>
  object.kind === scaledObjectKind ? (spec.minReplicaCount ?? 0) : (spec.minReplicas ?? 1);

const autoscalerKeepsTheMinimum = stackRule(
  { id: "autoscaler-keeps-the-gang-minimum", guidelines: ["G11", "G42"], code: "count" },
  {
    title: "An autoscaler's minimum is at least the replicas that a gang requires",
    why: "With fewer than minSubGroups replicas the gang is not valid, and lost replicas are not rescheduled.",
    source: "volcano.sh gang plugin: JobValid; Kthena and Grove require minimum <= minReplicas",
    fix: "Raise the autoscaler's minimum, or lower minSubGroups.",
  },
  wholeStack,
  function* (stack) {
    for (const { scaler, set } of scaledSets(stack)) {
      const [leader] = set.pods;
      const gang = leader && gangOf(leader, stack.gangs);
      for (const policy of gang?.spec.subGroupPolicy ?? []) {
        const { minSubGroups = 0, labelSelector } = policy;
        const isOurs = Object.entries(labelSelector?.matchLabels ?? {}).every(
          ([key, value]) => leader?.labels[key] === value,
        );
        const minimum = minimumOf(scaler);
        if (!isOurs || minimum >= minSubGroups) continue;
        const field = scaler.object.kind.startsWith("keda") ? "minReplicaCount" : "minReplicas";
        yield {
          path: [...scaler.path, field],
          given: `is ${minimum}`,
          allowed: `at least ${minSubGroups}, the gang's minSubGroups`,
          fix: "Raise the minimum of the autoscaler.",
        };
      }
    }
  },
);

const autoscalerScalesWholeRoles = stackRule(
  {
    id: "autoscaler-scales-a-whole-role",
    guidelines: ["G36"],
    code: "conflict",
    level: "advisory",
  },
  {
    title: "An autoscaler scales a LeaderWorkerSet that contains all replicas of a role",
    why: "A LeaderWorkerSet for a single replica cannot be scaled, and every apply of a manifest with `replicas` undoes the autoscaler's number.",
    source: "sigs.k8s.io/lws scale subresource; KServe: replicas and scaling are exclusive",
    fix: "Use workload perRole, and let the autoscaler set replicas.",
  },
  wholeStack,
  function* (stack) {
    for (const { scaler, set } of scaledSets(stack)) {
      if (set.pods[0]?.labels[label.replicaIndex] !== undefined) {
        yield {
          path: [...scaler.path, "scaleTargetRef", "name"],
          given: `is ${set.name}, which is one replica of a role`,
          allowed: "a LeaderWorkerSet with all replicas of a role",
          fix: "Set the service's workload to perRole.",
        };
      }
      // A plan sets the first number of replicas, and its component ignores later ones.
      const isPlanned =
        serviceOf(scaler.object) !== undefined &&
        serviceOf(scaler.object) === serviceOf(set.object);
      if (set.set?.replicas !== undefined && !isPlanned) {
        yield {
          path: [set.object.index, "spec", "replicas"],
          given: `is ${set.set.replicas}, but an autoscaler sets it too`,
          allowed: "no replicas, because the autoscaler sets them",
          fix: "Remove replicas, or add it to ignoreChanges.",
        };
      }
    }
  },
);

const budgetKeepsGroups = stackRule(
  {
    id: "disruption-budget-keeps-groups-whole",
    guidelines: ["G29"],
    code: "count",
    level: "advisory",
  },
  {
    title: "A disruption budget takes at most one group away at a time",
    why: "Each evicted pod recreates its whole group, so a budget that allows several evictions takes several groups away.",
    source: "sigs.k8s.io/lws RecreateGroupOnPodRestart; policy/v1 PodDisruptionBudget",
    fix: "Select leader and workers, and set maxUnavailable to 0 or 1.",
  },
  wholeStack,
  function* (stack) {
    for (const budget of specsOf<DisruptionBudgetShape>(stack, "policy/PodDisruptionBudget")) {
      const { selector, maxUnavailable, minAvailable } = budget.spec;
      const wanted = Object.entries(selector?.matchLabels ?? {});
      if (wanted.length === 0) continue;
      const isSelected = ({ labels, workload }: PodTemplateUse) =>
        workload.namespace === budget.namespace &&
        wanted.every(([key, value]) => labels[key] === value);
      for (const set of stack.workloads.filter((workload) => workload.pods.length > 1)) {
        const selected = set.pods.filter(isSelected);
        if (selected.length === 0) continue;
        if (selected.length < set.pods.length) {
          yield {
            path: [...budget.path, "selector"],
            given: `selects only ${selected[0]?.isWorker ? "workers" : "leaders"} of ${set.name}`,
            allowed: "leader and workers",
            fix: "Select by a label that both have.",
          };
        }
        if (maxUnavailable === 0 || maxUnavailable === 1) continue;
        const field = maxUnavailable === undefined ? "minAvailable" : "maxUnavailable";
        yield {
          path: [...budget.path, field],
          given: `is ${maxUnavailable ?? minAvailable ?? "missing"} with groups of ${set.size} pods`,
          allowed: "maxUnavailable 0 or 1",
          fix: "Set maxUnavailable to 1: the first eviction takes its whole group, and no other group follows.",
        };
      }
    }
  },
);

const budgetAllowsDrains = stackRule(
  { id: "disruption-budget-allows-drains", guidelines: ["G29"], code: "count", level: "advisory" },
  {
    title: "A disruption budget allows the eviction of a pod",
    why: "If the minimum is all replicas, no pod may be evicted: the drain of a node waits forever, and so do upgrades of nodes.",
    source:
      "policy/v1 PodDisruptionBudget: disruptionsAllowed is the healthy pods above minAvailable",
    fix: "Set maxUnavailable to 1 instead, or run one replica more.",
  },
  wholeStack,
  function* (stack) {
    for (const budget of specsOf<DisruptionBudgetShape>(stack, "policy/PodDisruptionBudget")) {
      const { selector, minAvailable } = budget.spec;
      const wanted = Object.entries(selector?.matchLabels ?? {});
      if (minAvailable === undefined || wanted.length === 0) continue;
      const selected = stack
        .everyWorkload()
        .flatMap(({ pods }) => pods)
        .filter(
          ({ labels, workload }) =>
            workload.namespace === budget.namespace &&
            wanted.every(([key, value]) => labels[key] === value),
        );
      const pods = selected.reduce((sum, { count }) => sum + count, 0);
      const isScaled = specsOf<AutoscalerShape>(stack, ...autoscalerKinds).some((scaler) =>
        selected.some(({ workload }) => workload.name === scaler.spec.scaleTargetRef.name),
      );
      const least =
        typeof minAvailable === "number"
          ? minAvailable
          : Math.ceil((pods * Number.parseFloat(minAvailable)) / 100);
      if (pods === 0 || isScaled || least < pods) continue;
      yield {
        path: [...budget.path, "minAvailable"],
        given: `is ${minAvailable}, and the budget selects ${pods} ${pods === 1 ? "pod" : "pods"}`,
        allowed: `at most ${pods - 1}, or maxUnavailable 1`,
        fix: "Set maxUnavailable to 1 instead; ignore this if you stop the pods by hand before a drain.",
      };
    }
  },
);

/** Returns the resources that the pods of a gang's minimum request. */
function minimumRequests(gang: Gang) {
  const { members, minMember, spec } = gang;
  const written = Object.entries(spec.minResources ?? {}).flatMap(([resource, text]) => {
    const quantity = parseQuantity(text);
    return quantity === undefined ? [] : [[resource, quantity] as const];
  });
  if (written.length > 0) return new Map<string, Quantity>(written);
  const pods = members.reduce((count, each) => count + each.count, 0);
  // If the minimum is a part of the pods, each role is assumed to contribute the same share.
  const share = pods === 0 ? 0 : Math.min(1, minMember / pods);
  return sum(
    members.map((each) => scaled(podResources(each.spec), Math.floor(each.count * share))),
  );
}

const queueHasQuota = stackRule(
  { id: "queue-fits-the-gang", guidelines: ["G28"], code: "count", level: "advisory" },
  {
    title: "The queue of a gang exists and is large enough for its minimum",
    why: "The webhook rejects a PodGroup with an unknown queue. A PodGroup larger than its queue waits forever.",
    source: "volcano.sh podgroups webhook; proportion plugin: minResources within realCapability",
    fix: "Create the queue, or raise its capability to at least the gang's minimum.",
    parameters: z.object({
      queues: z
        .array(z.string())
        .optional()
        .describe(
          "Queues that exist in the cluster. If it is not set, only queues of the stack are checked.",
        ),
    }),
  },
  eachGang,
  function* (gang, { stack, parameters: { queues } }) {
    const { queue = "default" } = gang.spec;
    const found = specsOf<QueueShape>(stack, groupKind(kinds.Queue)).find(
      ({ name }) => name === queue,
    );
    if (found === undefined) {
      if (queues === undefined || queue === "default" || queues.includes(queue)) return;
      yield {
        path: [...gang.path, "queue"],
        given: `is ${queue}`,
        allowed: ["default", ...queues].join(", "),
        fix: "Create the queue, or use another one.",
      };
      return;
    }
    yield* exceeding(gang, found.spec.capability, [...found.path, "capability"], "queue");
  },
);

const quotaHasRoom = stackRule(
  { id: "quota-fits-the-gang", guidelines: ["G39"], code: "count", level: "advisory" },
  {
    title: "The quota of a namespace is large enough for the minimum of its gangs",
    why: "Pods beyond the quota are never created, and the other pods of the gang wait for them.",
    source: "k8s.io/kubernetes ResourceQuota: requests.<resource>",
    fix: "Raise the quota to at least the gang's minimum.",
  },
  eachGang,
  function* (gang, { stack }) {
    for (const quota of specsOf<QuotaShape>(stack, "/ResourceQuota")) {
      if (quota.namespace !== gang.namespace) continue;
      yield* exceeding(gang, quota.spec.hard, [...quota.path, "hard"], "quota");
    }
  },
);

function* exceeding(
  gang: Gang,
  limits: Record<string, string | number> = {},
  path: readonly (string | number)[],
  what: string,
) {
  const minimum = minimumRequests(gang);
  for (const [key, written] of Object.entries(limits)) {
    // A quota limits requests, so its keys have the prefix `requests.`; a queue's keys do not.
    const least = minimum.get(key.replace(/^requests\./, ""));
    const limit = parseQuantity(written);
    if (limit === undefined || least === undefined || least.nanos <= limit.nanos) continue;
    yield {
      path: [...path, key],
      given: `is ${written}`,
      allowed: `at least ${formatQuantity(least)}, the minimum of PodGroup ${gang.name}`,
      fix: `Raise the ${what}, or lower the gang's minimum.`,
    };
  }
}

export const scalingRules: readonly StackRule[] = [
  autoscalerKeepsTheMinimum,
  autoscalerScalesWholeRoles,
  budgetKeepsGroups,
  budgetAllowsDrains,
  queueHasQuota,
  quotaHasRoom,
];
