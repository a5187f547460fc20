import type { Invariant } from "../../invariant.ts";
import { gangAnnotations } from "../../names.ts";
import { schedulerOf, volcano } from "../../topology/scheduling.ts";
import type { PartialSpec } from "../helpers/partial-spec.ts";

const taskLayoutIsPerReplica: Invariant<PartialSpec> = {
  id: "task-layout-is-per-replica",
  title: "A gang with layout 'task' uses one LeaderWorkerSet per replica",
  why: "The pod template names the task, and all replicas of a LeaderWorkerSet share one template.",
  source: "volcano.sh/task-spec; InferenceService design: 'Task: {roleName}-{replicaIndex}'",
  code: "conflict",
  *check({ workload, schedulingStrategy }) {
    if (schedulingStrategy.gang.layout !== "task" || workload !== "perRole") return;
    yield {
      path: ["workload"],
      given: "is perRole with schedulingStrategy.gang.layout: task",
      allowed: "auto or perReplica with gang layout 'task', or perRole with gang layout 'subGroup'",
      fix: "Set schedulingStrategy.gang.layout to subGroup, which needs no task names.",
    };
  },
};

const taskLayoutStartsAll: Invariant<PartialSpec> = {
  id: "task-layout-starts-all-replicas",
  title: "A gang with layout 'task' requires all replicas",
  why: "With minTaskMember the scheduler starts all replicas or none.",
  source: "volcano.sh gang plugin: tasks are checked only where minMember is their sum",
  code: "conflict",
  *check(spec) {
    if (spec.schedulingStrategy.gang.layout !== "task") return;
    for (const { index, layout } of spec.layouts) {
      const { minReplicas, replicas } = layout.role;
      if (!layout.inGang || minReplicas === undefined || minReplicas >= replicas) continue;
      yield {
        path: ["roles", index, "minReplicas"],
        given: `is ${minReplicas}, less than replicas (${replicas}), with gang layout 'task'`,
        allowed: `${replicas}, because layout 'task' starts all replicas or none`,
        fix: "Set schedulingStrategy.gang.layout to subGroup, or remove minReplicas.",
      };
    }
  },
};

const topologyHasSubGroups: Invariant<PartialSpec> = {
  id: "network-topology-has-sub-groups",
  title: "A network topology names one tier and applies to gang layout 'subGroup'",
  why: "The plan sets the network topology on the PodGroup's sub-groups, one per replica.",
  source: "volcano.sh PodGroup: subGroupPolicy.networkTopology",
  code: "conflict",
  *check({ schedulingStrategy: { gang }, layouts }) {
    if (gang.networkTopology === undefined) return;
    const { highestTierAllowed, highestTierName } = gang.networkTopology;
    if (highestTierAllowed !== undefined && highestTierName !== undefined)
      yield {
        path: ["schedulingStrategy", "gang", "networkTopology", "highestTierName"],
        given: `is ${JSON.stringify(highestTierName)}, and highestTierAllowed is ${highestTierAllowed}`,
        allowed: "highestTierName or highestTierAllowed, because both name the tier",
        fix: "Remove one of the two.",
      };
    const hasGang = layouts.some(({ layout }) => layout.inGang);
    if (gang.layout === "subGroup" && hasGang) return;
    yield {
      path: ["schedulingStrategy", "gang", "networkTopology"],
      given: hasGang
        ? `is set with gang layout '${gang.layout}'`
        : "is set, and no role is in a gang",
      allowed: "a network topology with gang layout 'subGroup'",
      fix: "Remove networkTopology, or set gang.layout to subGroup for replicas that span several nodes.",
    };
  },
};

const gangHasGangScheduler: Invariant<PartialSpec> = {
  id: "gang-has-a-gang-scheduler",
  title: "A gang is not scheduled by the default scheduler",
  why: "kube-scheduler ignores PodGroups, so the gang could start partially.",
  source: "volcano.sh: pods name the scheduler in schedulerName",
  code: "conflict",
  *check(spec) {
    if (spec.schedulingStrategy.schedulerName !== "default-scheduler") return;
    if (!spec.layouts.some(({ layout }) => layout.inGang)) return;
    yield {
      path: ["schedulingStrategy", "schedulerName"],
      given: 'is "default-scheduler"',
      allowed: `a Volcano scheduler (default ${volcano}), because the service has a gang`,
      fix: "Remove it, or set schedulingStrategy.gang.layout to none.",
    };
  },
};

const queueHasVolcano: Invariant<PartialSpec> = {
  id: "queue-needs-volcano",
  title: "A queue is set only for a scheduler that has queues",
  why: "The default scheduler ignores queues.",
  source: "volcano.sh Queue",
  code: "conflict",
  *check(spec) {
    const { queue, schedulerName } = spec.schedulingStrategy;
    if (queue === undefined || schedulerName !== undefined) return;
    if (spec.layouts.some(({ layout }) => layout.inGang)) return;
    yield {
      path: ["schedulingStrategy", "queue"],
      given: `is ${JSON.stringify(queue)}, and no role is in a gang`,
      allowed: "a queue with schedulerName volcano",
      fix: "Set schedulingStrategy.schedulerName to volcano, or remove the queue.",
    };
  },
};

const templateAgreesWithStrategy: Invariant<PartialSpec> = {
  id: "template-agrees-with-strategy",
  title: "A template has the scheduler and the priority of the scheduling strategy",
  why: "All pods of a PodGroup need the same scheduler and priority; otherwise the gang never forms.",
  source:
    "volcano.sh: a job has the priority of its PodGroup; pods of another scheduler are not its members",
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
          allowed: `${JSON.stringify(meant)}, the value of ${from}`,
          fix: `Remove ${field} from the template, or set schedulingStrategy.${field} for the whole service.`,
        };
      }
    }
  },
};

const gangPriorityIsShared: Invariant<PartialSpec> = {
  id: "gang-priority-is-on-the-strategy",
  title: "The priority of a gang is set in the scheduling strategy",
  why: "The scheduler orders gangs by the priority of the PodGroup and ignores the priority of the pods.",
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
        allowed: "schedulingStrategy.priorityClassName, which the plan also sets on the PodGroup",
        fix: "Move priorityClassName to schedulingStrategy.",
      };
    }
  },
};

const gangAnnotationsAreNotSet: Invariant<PartialSpec> = {
  id: "gang-annotations-are-not-set",
  title: "Templates of gang roles do not set gang annotations",
  why: "The plan sets these annotations. They assign each pod to its gang and task.",
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
          allowed: "no value in the template, because the plan sets it for roles in a gang",
          fix: "Remove it, or set schedulingStrategy.gang.layout to none.",
        };
      }
    }
  },
};

const gangStartsAllPodsAtOnce: Invariant<PartialSpec> = {
  id: "gang-has-no-exclusive-topology",
  title: "A gang does not use exclusive topology",
  why: "LeaderWorkerSet creates the workers only after the leader has a node, but the leader waits for the whole gang.",
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
          allowed: "only on roles outside a gang, because gang pods are scheduled together",
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
