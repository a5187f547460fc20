import type { Invariant } from "../invariant.ts";
import { gangAnnotations } from "../topology/names.ts";
import { schedulerOf, volcano } from "../topology/scheduling.ts";
import type { PartialSpec } from "./partial-spec.ts";

const taskLayoutIsPerReplica: Invariant<PartialSpec> = {
  id: "task-layout-is-per-replica",
  title: "Gang layout task has one LeaderWorkerSet per replica",
  why: "A task is named in the pod template, and all replicas of one LeaderWorkerSet share a template.",
  source: "volcano.sh/task-spec; InferenceService design: 'Task: {roleName}-{replicaIndex}'",
  code: "conflict",
  *check({ workload, schedulingStrategy }) {
    if (schedulingStrategy.gang.layout !== "task" || workload !== "perRole") return;
    yield {
      path: ["workload"],
      given: "is perRole with schedulingStrategy.gang.layout task",
      allowed: "auto or perReplica with layout task, or layout subGroup",
      fix: "Choose gang layout subGroup, which needs no task names.",
    };
  },
};

const taskLayoutStartsAll: Invariant<PartialSpec> = {
  id: "task-layout-starts-all-replicas",
  title: "Gang layout task has no minimum below all replicas",
  why: "With minTaskMember the scheduler starts every replica or none.",
  source: "volcano.sh gang plugin: tasks are checked only where minMember is their sum",
  code: "conflict",
  *check(spec) {
    if (spec.schedulingStrategy.gang.layout !== "task") return;
    for (const { index, layout } of spec.layouts) {
      const { minReplicas, replicas } = layout.role;
      if (!layout.inGang || minReplicas === undefined || minReplicas >= replicas) continue;
      yield {
        path: ["roles", index, "minReplicas"],
        given: `is ${minReplicas} of ${replicas} with gang layout task`,
        allowed: "all replicas, since layout task starts all or nothing",
        fix: "Choose gang layout subGroup, or remove minReplicas.",
      };
    }
  },
};

const topologyHasSubGroups: Invariant<PartialSpec> = {
  id: "network-topology-has-sub-groups",
  title: "A network topology names one tier, for a gang of sub-groups",
  why: "The plan sets it on the sub-groups of the PodGroup, one for each replica.",
  source: "volcano.sh PodGroup: subGroupPolicy.networkTopology",
  code: "conflict",
  *check({ schedulingStrategy: { gang }, layouts }) {
    if (gang.networkTopology === undefined) return;
    const { highestTierAllowed, highestTierName } = gang.networkTopology;
    if (highestTierAllowed !== undefined && highestTierName !== undefined)
      yield {
        path: ["schedulingStrategy", "gang", "networkTopology", "highestTierName"],
        given: `is ${JSON.stringify(highestTierName)} with highestTierAllowed ${highestTierAllowed}`,
        allowed: "one of them, since both name the tier",
        fix: "Remove one of them.",
      };
    const hasGang = layouts.some(({ layout }) => layout.inGang);
    if (gang.layout === "subGroup" && hasGang) return;
    yield {
      path: ["schedulingStrategy", "gang", "networkTopology"],
      given: hasGang
        ? `is set with gang layout ${gang.layout}`
        : "is set, and no role is in a gang",
      allowed: "a network topology for a gang of layout subGroup",
      fix: "Remove it, or choose gang layout subGroup for replicas over several nodes.",
    };
  },
};

const gangHasGangScheduler: Invariant<PartialSpec> = {
  id: "gang-has-a-gang-scheduler",
  title: "A gang is not given to the default scheduler",
  why: "kube-scheduler does not read PodGroups: the gang would start in part.",
  source: "volcano.sh: pods name the scheduler in schedulerName",
  code: "conflict",
  *check(spec) {
    if (spec.schedulingStrategy.schedulerName !== "default-scheduler") return;
    if (!spec.layouts.some(({ layout }) => layout.inGang)) return;
    yield {
      path: ["schedulingStrategy", "schedulerName"],
      given: 'is "default-scheduler"',
      allowed: `a Volcano scheduler, ${volcano} by default, since the service has a gang`,
      fix: "Remove it, or set schedulingStrategy.gang.layout to none.",
    };
  },
};

const queueHasVolcano: Invariant<PartialSpec> = {
  id: "queue-needs-volcano",
  title: "A queue is given to a scheduler that has queues",
  why: "The default scheduler ignores it.",
  source: "volcano.sh Queue",
  code: "conflict",
  *check(spec) {
    const { queue, schedulerName } = spec.schedulingStrategy;
    if (queue === undefined || schedulerName !== undefined) return;
    if (spec.layouts.some(({ layout }) => layout.inGang)) return;
    yield {
      path: ["schedulingStrategy", "queue"],
      given: `is ${JSON.stringify(queue)}, and no role is in a gang`,
      allowed: "a queue where Volcano schedules the pods",
      fix: "Set schedulingStrategy.schedulerName to volcano, or remove the queue.",
    };
  },
};

const templateAgreesWithStrategy: Invariant<PartialSpec> = {
  id: "template-agrees-with-strategy",
  title: "A template may repeat the scheduler and priority of the strategy, not differ",
  why: "All pods of a PodGroup have one scheduler and one priority, or the gang never forms.",
  source:
    "volcano.sh: a job's priority is that of its PodGroup; pods of another scheduler are not its members",
  code: "conflict",
  *check(spec) {
    const { schedulingStrategy } = spec;
    for (const { index, layout } of spec.layouts) {
      const { spec } = layout.role.template;
      const scheduler = schedulerOf(schedulingStrategy, layout.inGang);
      for (const [field, meant, from] of [
        [
          "schedulerName",
          scheduler,
          schedulingStrategy.schedulerName === undefined ? "the gang" : "schedulingStrategy",
        ],
        ["priorityClassName", schedulingStrategy.priorityClassName, "schedulingStrategy"],
      ] as const) {
        const written = spec[field];
        if (written === undefined || meant === undefined || written === meant) continue;
        yield {
          path: ["roles", index, "template", "spec", field],
          given: `is ${JSON.stringify(written)}`,
          allowed: `${JSON.stringify(meant)}, as ${from} has it`,
          fix: `Remove it, or set schedulingStrategy.${field} for the whole service.`,
        };
      }
    }
  },
};

const gangPriorityIsShared: Invariant<PartialSpec> = {
  id: "gang-priority-is-on-the-strategy",
  title: "The priority of a gang stands in the scheduling strategy",
  why: "The scheduler orders gangs by their PodGroup's priority and does not read the pods'.",
  source: "volcano.sh: job priority is PodGroup.spec.priorityClassName",
  code: "conflict",
  *check(spec) {
    if (spec.schedulingStrategy.priorityClassName !== undefined) return;
    for (const { index, layout } of spec.layouts) {
      const written = layout.role.template.spec.priorityClassName;
      if (!layout.inGang || written === undefined) continue;
      yield {
        path: ["roles", index, "template", "spec", "priorityClassName"],
        given: `is ${JSON.stringify(written)} on one role of a gang`,
        allowed: "schedulingStrategy.priorityClassName, which is set on the PodGroup too",
        fix: "Move it to schedulingStrategy.",
      };
    }
  },
};

const gangAnnotationsAreNotSet: Invariant<PartialSpec> = {
  id: "gang-annotations-are-not-set",
  title: "Templates of gang roles leave the gang annotations to the plan",
  why: "They tell the scheduler which gang and task a pod belongs to.",
  source: "InferenceService design, Key Annotations for Volcano Gang Scheduling",
  code: "conflict",
  *check(spec) {
    for (const { index, layout } of spec.layouts) {
      if (!layout.inGang) continue;
      const written = layout.role.template.metadata?.annotations ?? {};
      for (const key of gangAnnotations) {
        if (!(key in written)) continue;
        yield {
          path: ["roles", index, "template", "metadata", "annotations", key],
          given: "is set by hand",
          allowed: "what the plan sets, since the role is in the service's gang",
          fix: "Remove it, or set schedulingStrategy.gang.layout to none.",
        };
      }
    }
  },
};

const gangStartsAllPodsAtOnce: Invariant<PartialSpec> = {
  id: "gang-has-no-exclusive-topology",
  title: "A gang does not ask for exclusive topology",
  why: "Its workers are created only after the leader has a node, and the leader waits for the whole gang.",
  source: "sigs.k8s.io/lws pod controller: exclusive-topology",
  code: "conflict",
  *check(spec) {
    for (const { index, layout } of spec.layouts) {
      if (!layout.inGang) continue;
      const written = layout.role.template.metadata?.annotations ?? {};
      for (const key of Object.keys(written).filter((name) =>
        /^leaderworkerset\.sigs\.k8s\.io\/(subgroup-)?exclusive-topology$/.test(name),
      )) {
        yield {
          path: ["roles", index, "template", "metadata", "annotations", key],
          given: "is set on a role of a gang",
          allowed: "roles outside a gang, since gang pods are scheduled together",
          fix: "Remove it, or set schedulingStrategy.gang.layout to none.",
        };
      }
    }
  },
};

export const gangRules: ReadonlyArray<Invariant<PartialSpec>> = [
  taskLayoutIsPerReplica,
  taskLayoutStartsAll,
  topologyHasSubGroups,
  gangHasGangScheduler,
  queueHasVolcano,
  templateAgreesWithStrategy,
  gangPriorityIsShared,
  gangAnnotationsAreNotSet,
  gangStartsAllPodsAtOnce,
];
