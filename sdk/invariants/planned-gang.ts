import type { Manifest } from "../kubernetes/manifest.ts";
import { annotation } from "../topology/names.ts";
import type { Finding, Invariant } from "./invariant.ts";
import { type PlannedPods, type PodGroupSpec, podGroups, podsOf } from "./planned-pods.ts";

/** What a gang needs to start as meant, over all objects of a stack. */

type Stack = readonly Manifest[];

const gangPodsNameTheirPodGroup: Invariant<Stack> = {
  id: "gang-pods-name-their-pod-group",
  title: "Pods that name a PodGroup name one of their namespace that is in the stack",
  why: "Without it the pods stay pending for ever, and no event says why.",
  source: "volcano.sh scheduler: a pod's job is '{namespace}/{scheduling.k8s.io/group-name}'",
  code: "reference",
  *check(stack) {
    const names = new Set(podGroups(stack).map(({ namespace, name }) => `${namespace}/${name}`));
    for (const pods of podsOf(stack)) {
      if (pods.group === undefined || names.has(`${pods.namespace}/${pods.group}`)) continue;
      yield {
        path: [...pods.path, "metadata", "annotations", annotation.groupName],
        given: `is ${pods.group}`,
        allowed: `a PodGroup of namespace ${pods.namespace} in the stack`,
        fix: "Create the PodGroup, or remove the annotation.",
      };
    }
  },
};

const gangHasOneScheduler: Invariant<Stack> = {
  id: "gang-has-one-scheduler",
  title: "All pods of a PodGroup have one scheduler, named explicitly",
  why: "A scheduler counts only the pods that name it.",
  source: "volcano.sh scheduler: --scheduler-name",
  code: "conflict",
  *check(stack) {
    for (const { members } of gangsOf(stack)) {
      const schedulers = new Set(members.map(({ spec }) => spec.schedulerName));
      for (const pods of members) {
        if (schedulers.size === 1 && pods.spec.schedulerName !== undefined) continue;
        yield {
          path: [...pods.path, "spec", "schedulerName"],
          given: `is ${String(pods.spec.schedulerName ?? "missing")}`,
          allowed: "one gang scheduler for all pods of the gang",
          fix: "Set schedulingStrategy.schedulerName for the whole service.",
        };
      }
    }
  },
};

const minMemberIsTheMinimum: Invariant<Stack> = {
  id: "min-member-is-the-minimum",
  title: "minMember is the pods of the minimum: its sub-groups', or its tasks'",
  why: "A larger one blocks the partial start; with a smaller one tasks are not checked at all.",
  source:
    "volcano.sh gang plugin: JobReady; CheckTaskReady is skipped where minMember < sum(minTaskMember)",
  code: "count",
  *check(stack) {
    for (const { group } of gangsOf(stack)) {
      const { minMember, minTaskMember, subGroupPolicy } = group.spec;
      if (minTaskMember === undefined && subGroupPolicy === undefined) continue;
      const meant =
        total(Object.values(minTaskMember ?? {})) +
        total((subGroupPolicy ?? []).map((each) => each.minSubGroups * each.subGroupSize));
      if (minMember === meant) continue;
      yield finding(group.path, "minMember", minMember, `${meant}, the sum of the minimum`);
    }
  },
};

const gangHasOneMinimum: Invariant<Stack> = {
  id: "gang-has-one-kind-of-minimum",
  title: "A PodGroup has minTaskMember or subGroupPolicy, not both",
  why: "Their checks contradict each other.",
  source: "volcano.sh PodGroup API: using both is not recommended",
  code: "conflict",
  *check(stack) {
    for (const { path, spec } of podGroups(stack)) {
      if (spec.minTaskMember === undefined || spec.subGroupPolicy === undefined) continue;
      yield finding(path, "minTaskMember", "set", "absent beside subGroupPolicy");
    }
  },
};

const gangFitsItsPods: Invariant<Stack> = {
  id: "gang-minimum-has-its-pods",
  title: "The minimum of a gang is at most the pods it has",
  why: "A gang that waits for pods nobody makes never starts.",
  source: "volcano.sh gang plugin: JobValid needs minMember pods",
  code: "count",
  *check(stack) {
    for (const { group, members } of gangsOf(stack)) {
      const pods = total(members.map(({ count }) => count));
      if (group.spec.minMember > pods) {
        yield finding(
          group.path,
          "minMember",
          group.spec.minMember,
          `at most ${pods}, the pods of the gang`,
        );
      }
      for (const [task, minimum] of Object.entries(group.spec.minTaskMember ?? {})) {
        const ofTask = members.filter((each) => each.annotations[annotation.taskSpec] === task);
        const count = total(ofTask.map((each) => each.count));
        if (minimum > count) {
          yield finding(
            [...group.path, "minTaskMember"],
            task,
            minimum,
            `at most ${count}, the pods of the task`,
          );
        }
      }
    }
  },
};

const subGroupIsAReplica: Invariant<Stack> = {
  id: "sub-group-is-a-replica",
  title: "A sub-group is one whole replica: its size, and a label that tells replicas apart",
  why: "Otherwise a replica starts in part, or the policy matches no pod.",
  source:
    "volcano.sh: a policy without matchLabelKeys matches nothing; subJob ready at subGroupSize",
  code: "count",
  *check(stack) {
    for (const { group, members } of gangsOf(stack)) {
      for (const [at, policy] of (group.spec.subGroupPolicy ?? []).entries()) {
        const path = [...group.path, "subGroupPolicy", at];
        const matched = members.filter((pods) => selects(policy.labelSelector.matchLabels, pods));
        if (policy.matchLabelKeys.length === 0) {
          yield finding(
            path,
            "matchLabelKeys",
            "an empty list",
            "a label that each replica has its own value of",
          );
        }
        for (const pods of matched) {
          if (pods.groupSize !== policy.subGroupSize) {
            yield finding(
              path,
              "subGroupSize",
              policy.subGroupSize,
              `${pods.groupSize}, the pods of a replica`,
            );
          }
          for (const key of policy.matchLabelKeys) {
            if (key in pods.labels || key.startsWith("leaderworkerset.sigs.k8s.io/")) continue;
            yield finding(
              path,
              "matchLabelKeys",
              key,
              "labels that all pods of the sub-group have",
            );
          }
        }
      }
    }
  },
};

/** Rules that hold for every planned stack and for stacks of others. */
export const gangStackRules: ReadonlyArray<Invariant<Stack>> = [
  gangPodsNameTheirPodGroup,
  gangHasOneScheduler,
  minMemberIsTheMinimum,
  gangHasOneMinimum,
  gangFitsItsPods,
  subGroupIsAReplica,
];

interface Gang {
  readonly group: {
    path: (string | number)[];
    namespace: string;
    name: string;
    spec: PodGroupSpec;
  };
  readonly members: readonly PlannedPods[];
}

function gangsOf(stack: Stack): Gang[] {
  const pods = podsOf(stack);
  return podGroups(stack).map((group) => ({
    group,
    members: pods.filter((each) => each.group === group.name && each.namespace === group.namespace),
  }));
}

const selects = (matchLabels: Record<string, string>, { labels }: PlannedPods): boolean =>
  Object.entries(matchLabels).every(([key, value]) => labels[key] === value);

const total = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

const finding = (
  path: readonly (string | number)[],
  field: string,
  given: unknown,
  allowed: string,
): Finding => ({
  path: [...path, field],
  given: `is ${String(given)}`,
  allowed,
  fix: "Change it to match.",
});
