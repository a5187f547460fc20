import { formatQuantity, parseQuantity } from "../../../kubernetes/values/quantity.ts";
import type { Gang } from "../../stack/gangs.ts";
import { type SubGroup, selectsPods, subGroupPods } from "../../stack/sub-groups.ts";
import { asPodSpec, type PodTemplateUse } from "../../stack/workloads.ts";
import { annotation } from "../../topology/names.ts";
import { podResources, type ResourceList, scaled, sum } from "../../topology/pod-resources.ts";
import { mismatch } from "./mismatch.ts";
import { eachGang, rulesOfPack, type StackRule } from "./stack-rule.ts";

/** What a gang waits for before any of its pods starts. */

const { objectRule, stackRule } = rulesOfPack("inference-gang");

const total = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

const needed = ({ minSubGroups = 0, subGroupSize = 1 }: SubGroup) => minSubGroups * subGroupSize;

const minMemberIsTheMinimum = objectRule(
  { id: "min-member-is-the-minimum", guidelines: ["G07", "G10"], code: "count" },
  {
    title: "minMember is the pods of the minimum: its sub-groups', or at least its tasks'",
    why: "Above its sub-groups it blocks the partial start; below its tasks these are not checked at all.",
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
    // Without a minimum of sub-groups any number of whole ones will do.
    const groups = total(subGroupPolicy.map(needed));
    if (groups > 0 && minTaskMember === undefined && minMember !== groups)
      yield mismatch(path, "minMember", minMember, `${groups}, the sum of the minimum`);
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
    yield mismatch(path, "minTaskMember", "set", "absent beside subGroupPolicy");
  },
);

const hasItsPods = stackRule(
  { id: "gang-minimum-has-its-pods", guidelines: ["G07", "G20"], code: "count" },
  {
    title: "The minimum of a gang is at most the pods it has",
    why: "A gang that waits for pods nobody makes never starts.",
    source: "volcano.sh gang plugin: JobValid needs minMember pods",
    fix: "Lower minMember and minTaskMember, or raise the replicas of the workloads.",
  },
  eachGang,
  function* (gang) {
    const { members, minMember, path, spec } = gang;
    // Pods of a gang without members are made by others: an operator, or another stack.
    if (members.length === 0) return;
    const pods = total(members.map(({ count }) => count));
    if (minMember > pods)
      yield mismatch(path, "minMember", minMember, `at most ${pods}, the pods of the gang`);
    for (const [task, minimum] of Object.entries(spec.minTaskMember ?? {})) {
      const count = total(ofTask(members, task).map((each) => each.count));
      if (minimum > count)
        yield mismatch(
          [...path, "minTaskMember"],
          task,
          minimum,
          `at most ${count}, the pods of the task`,
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
    title: "A sub-group policy asks for no more replicas than there are",
    why: "A gang with fewer sub-groups than minSubGroups is not valid, and none of its pods starts.",
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
          `at most ${replicas}, the replicas of the sub-group's workloads`,
        );
    }
  },
);

const subGroupIsAReplica = stackRule(
  { id: "sub-group-is-a-replica", guidelines: ["G09", "G10"], code: "count" },
  {
    title: "A sub-group is one whole replica: its size, and a label that tells replicas apart",
    why: "Otherwise a replica starts in part, or the policy matches no pod.",
    source:
      "volcano.sh: a policy without matchLabelKeys matches nothing; subJob ready at subGroupSize",
    fix: "Set subGroupSize to the pods of a replica, and matchLabelKeys to a label of each replica's own, such as leaderworkerset.sigs.k8s.io/group-index.",
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
          "a label that each replica has its own value of",
        );
      for (const pods of subGroupPods(policy, members)) {
        const { size } = pods.workload;
        if (size !== subGroupSize && pods.workload.set !== undefined)
          yield mismatch(here, "subGroupSize", subGroupSize, `${size}, the pods of a replica`);
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
    title: "Sub-group policies have names of their own and share no pods",
    why: "A pod counts for one policy only, so that the other never has its sub-groups.",
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
        yield mismatch(here, "name", policy.name, `a name that subGroupPolicy[${named}] has not`);
      const first = policies
        .slice(0, at)
        .findIndex((other) =>
          subGroupPods(policy, members).some((pods) => selectsPods(other, pods)),
        );
      if (first >= 0)
        yield {
          path: [...here, "labelSelector"],
          given: `selects pods of subGroupPolicy[${first}] too`,
          allowed: "pods that no other policy selects",
          fix: "Add a label that tells them apart.",
        };
    }
  },
);

const minResourcesAreTheMinimum = stackRule(
  { id: "min-resources-are-the-minimum", guidelines: ["G13"], code: "count" },
  {
    title: "minResources is what the gang's minimum asks for, not all of its pods",
    why: "Volcano lets a gang into its queue only where that much is free: more keeps out a gang that could start.",
    source: "volcano.sh enqueue action: overcommit and proportion compare minResources",
    fix: "Set minResources to the requests of the pods of the minimum.",
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
          ? "what the pods of the gang ask for"
          : `at most ${formatQuantity(most)}`,
      );
    }
  },
);

/** Undefined where the minimum is some of pods that differ. */
function resourcesOfMinimum(gang: Gang): ResourceList | undefined {
  const { members, minMember, spec } = gang;
  const of = (pods: PodTemplateUse, count: number) =>
    scaled(podResources(asPodSpec(pods.spec)), count);
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
