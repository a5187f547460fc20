import { formatQuantity, parseQuantity } from "../../../kubernetes/values/quantity.ts";
import {
  podResources,
  type ResourceList,
  scaled,
  sum,
} from "../../engines/accelerators/pod-resources.ts";
import { annotation } from "../../names.ts";
import type { Gang } from "../../stack/gangs.ts";
import { type SubGroup, selectsPods, subGroupPods } from "../../stack/sub-groups.ts";
import type { PodTemplateUse } from "../../stack/workloads.ts";
import { mismatch } from "../helpers/mismatch.ts";
import { eachGang, rulesOfPack, type StackRule } from "../helpers/stack-rule.ts";

/** Rules on the minimum for which a gang waits before any of its pods starts. */

const { objectRule, stackRule } = rulesOfPack("inference-gang");

const total = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

const needed = ({ minSubGroups = 0, subGroupSize = 1 }: SubGroup) => minSubGroups * subGroupSize;

const minMemberIsTheMinimum = objectRule(
  { id: "min-member-is-the-minimum", guidelines: ["G07", "G10"], code: "count" },
  {
    title:
      "minMember is the number of pods of the required sub-groups, or at least the sum of minTaskMember",
    why: "If minMember is higher than the sub-groups need, the gang cannot start partially. If it is lower than the sum of minTaskMember, the tasks are not checked.",
    source:
      "volcano.sh gang plugin: JobReady; CheckTaskReady is skipped where minMember < sum(minTaskMember)",
    fix: "Set minMember to the sum of minSubGroups x subGroupSize, or of minTaskMember.",
  },
  eachGang,
  function* ({ path, spec, minMember }) {
    const { minTaskMember, subGroupPolicy = [] } = spec;
    const tasks = total(Object.values(minTaskMember ?? {}));
    if (minMember < tasks)
      yield mismatch(path, "minMember", minMember, `at least ${tasks}, the sum of minTaskMember`);
    // Without a minimum of sub-groups, any number of complete sub-groups is allowed.
    const groups = total(subGroupPolicy.map(needed));
    if (groups > 0 && minTaskMember === undefined && minMember !== groups)
      yield mismatch(
        path,
        "minMember",
        minMember,
        `${groups}, the sum of minSubGroups x subGroupSize`,
      );
  },
);

const hasOneMinimum = objectRule(
  { id: "gang-has-one-kind-of-minimum", guidelines: ["G08"], code: "conflict" },
  {
    title: "A PodGroup has minTaskMember or subGroupPolicy, not both",
    why: "Their checks contradict each other.",
    source: "volcano.sh PodGroup API: using both is not recommended",
    fix: "Keep subGroupPolicy, and remove minTaskMember.",
  },
  eachGang,
  function* ({ path, spec }) {
    if (spec.minTaskMember === undefined || spec.subGroupPolicy === undefined) return;
    yield mismatch(path, "minTaskMember", "set", "no minTaskMember together with subGroupPolicy");
  },
);

const hasItsPods = stackRule(
  { id: "gang-minimum-has-its-pods", guidelines: ["G07", "G20"], code: "count" },
  {
    title: "The minimum of a gang is at most its number of pods",
    why: "A gang that requires more pods than exist never starts.",
    source: "volcano.sh gang plugin: JobValid needs minMember pods",
    fix: "Lower minMember and minTaskMember, or raise the replicas of the workloads.",
  },
  eachGang,
  function* (gang) {
    const { members, minMember, path, spec } = gang;
    // If the stack has no pods of a gang, an operator or another stack creates them.
    if (members.length === 0) return;
    const pods = total(members.map(({ count }) => count));
    if (minMember > pods)
      yield mismatch(
        path,
        "minMember",
        minMember,
        `at most ${pods}, the number of pods of the gang`,
      );
    for (const [task, minimum] of Object.entries(spec.minTaskMember ?? {})) {
      const count = total(ofTask(members, task).map((each) => each.count));
      if (minimum > count)
        yield mismatch(
          [...path, "minTaskMember"],
          task,
          minimum,
          `at most ${count}, the number of pods of the task`,
        );
    }
  },
);

const ofTask = (members: readonly PodTemplateUse[], task: string) =>
  members.filter(
    ({ annotations, labels }) =>
      (annotations[annotation.taskSpec] ?? labels[annotation.taskSpec]) === task,
  );

const hasItsReplicas = stackRule(
  { id: "gang-minimum-has-its-replicas", guidelines: ["G11"], code: "count" },
  {
    title: "minSubGroups is at most the number of replicas",
    why: "A gang with fewer sub-groups than minSubGroups is not valid, and none of its pods start.",
    source: "volcano.sh gang plugin: a job with fewer sub-groups than minSubGroups is not valid",
    fix: "Lower minSubGroups, or raise the replicas of the role.",
  },
  eachGang,
  function* ({ members, path, spec }) {
    for (const [at, policy] of (spec.subGroupPolicy ?? []).entries()) {
      const leaders = subGroupPods(policy, members).filter(({ isWorker }) => !isWorker);
      if (leaders.length === 0) continue;
      const { minSubGroups = 0 } = policy;
      const replicas = total(leaders.map(({ workload }) => workload.replicas));
      if (minSubGroups > replicas)
        yield mismatch(
          [...path, "subGroupPolicy", at],
          "minSubGroups",
          minSubGroups,
          `at most ${replicas}, the number of replicas of the sub-group's workloads`,
        );
    }
  },
);

const subGroupIsAReplica = stackRule(
  { id: "sub-group-is-a-replica", guidelines: ["G09", "G10"], code: "count" },
  {
    title:
      "A sub-group is exactly one replica: subGroupSize is its number of pods, and matchLabelKeys distinguishes replicas",
    why: "Otherwise a replica starts partially, or the policy matches no pod.",
    source:
      "volcano.sh: a policy without matchLabelKeys matches nothing; subJob ready at subGroupSize",
    fix: "Set subGroupSize to the number of pods per replica, and matchLabelKeys to a label that differs between replicas, such as leaderworkerset.sigs.k8s.io/group-index.",
  },
  eachGang,
  function* ({ members, path, spec }) {
    for (const [at, policy] of (spec.subGroupPolicy ?? []).entries()) {
      const here = [...path, "subGroupPolicy", at];
      const { matchLabelKeys = [], subGroupSize = 1 } = policy;
      if (matchLabelKeys.length === 0)
        yield mismatch(
          here,
          "matchLabelKeys",
          "empty",
          "a label whose value differs between replicas",
        );
      for (const pods of subGroupPods(policy, members)) {
        const { size } = pods.workload;
        if (size !== subGroupSize && pods.workload.set !== undefined)
          yield mismatch(
            here,
            "subGroupSize",
            subGroupSize,
            `${size}, the number of pods of a replica`,
          );
        for (const key of matchLabelKeys) {
          if (key in pods.labels || key.startsWith("leaderworkerset.sigs.k8s.io/")) continue;
          yield mismatch(here, "matchLabelKeys", key, "labels that all pods of the sub-group have");
        }
      }
    }
  },
);

const subGroupsAreApart = stackRule(
  { id: "sub-groups-are-disjoint", guidelines: ["G09"], code: "conflict" },
  {
    title: "Sub-group policies have unique names and select different pods",
    why: "A pod counts for only one policy, so the other policy never gets its sub-groups.",
    source: "volcano.sh: getSubJobMatchValues takes the first policy that selects a pod",
    fix: "Select each role by a label that no other role of the gang has.",
  },
  eachGang,
  function* ({ members, path, spec }) {
    const policies = spec.subGroupPolicy ?? [];
    for (const [at, policy] of policies.entries()) {
      const here = [...path, "subGroupPolicy", at];
      const named = policies.findIndex(({ name }) => name !== undefined && name === policy.name);
      if (named >= 0 && named < at)
        yield mismatch(
          here,
          "name",
          policy.name,
          `a name other than the name of subGroupPolicy[${named}]`,
        );
      const first = policies
        .slice(0, at)
        .findIndex((other) =>
          subGroupPods(policy, members).some((pods) => selectsPods(other, pods)),
        );
      if (first >= 0)
        yield {
          path: [...here, "labelSelector"],
          given: `selects pods that subGroupPolicy[${first}] also selects`,
          allowed: "pods that no other policy selects",
          fix: "Select by a label that differs between the two.",
        };
    }
  },
);

const minResourcesAreTheMinimum = stackRule(
  { id: "min-resources-are-the-minimum", guidelines: ["G13"], code: "count" },
  {
    title: "minResources is the sum of the requests of the gang's minimum, not of all its pods",
    why: "Volcano enqueues a gang only if minResources are free. A higher value keeps out a gang that could start.",
    source: "volcano.sh enqueue action: overcommit and proportion compare minResources",
    fix: "Set minResources to the sum of the requests of the pods of the minimum.",
  },
  eachGang,
  function* (gang) {
    const { minResources } = gang.spec;
    if (minResources === undefined || gang.members.length === 0) return;
    const minimum = resourcesOfMinimum(gang);
    if (minimum === undefined) return;
    for (const [resource, written] of Object.entries(minResources)) {
      const most = minimum.get(resource);
      const given = parseQuantity(written);
      if (given === undefined || (most !== undefined && given.nanos <= most.nanos)) continue;
      yield mismatch(
        [...gang.path, "minResources"],
        resource,
        written,
        most === undefined
          ? "only resources that the gang's pods request"
          : `at most ${formatQuantity(most)}`,
      );
    }
  },
);

/** Returns the resources that the gang's minimum requests. Undefined if the minimum is a part of pods that differ. */
function resourcesOfMinimum(gang: Gang): ResourceList | undefined {
  const { members, minMember, spec } = gang;
  const of = (pods: PodTemplateUse, count: number) => scaled(podResources(pods.spec), count);
  const policies = spec.subGroupPolicy ?? [];
  if (policies.some((policy) => needed(policy) > 0)) {
    return sum(
      policies.flatMap((policy) => {
        const [first] = subGroupPods(policy, members);
        const { minSubGroups = 0 } = policy;
        return (first?.workload.pods ?? []).map((pods) => of(pods, pods.inReplica * minSubGroups));
      }),
    );
  }
  if (minMember >= total(members.map(({ count }) => count)))
    return sum(members.map((pods) => of(pods, pods.count)));
  const [first, ...others] = members;
  const alike = others.every((pods) => sameResources(of(pods, 1), of(first as PodTemplateUse, 1)));
  return first !== undefined && alike ? of(first, minMember) : undefined;
}

const sameResources = (a: ResourceList, b: ResourceList) =>
  a.size === b.size && [...a].every(([resource, { nanos }]) => b.get(resource)?.nanos === nanos);

export const gangMinimumRules: readonly StackRule[] = [
  minMemberIsTheMinimum,
  hasOneMinimum,
  hasItsPods,
  hasItsReplicas,
  subGroupIsAReplica,
  subGroupsAreApart,
  minResourcesAreTheMinimum,
];
