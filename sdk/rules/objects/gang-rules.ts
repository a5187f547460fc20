import { z } from "zod";
import { nonEmptyText } from "../../../kubernetes/kinds/field-types.ts";
import { annotation } from "../../names.ts";
import { gangOf } from "../../stack/gangs.ts";
import type { Stack } from "../../stack/stack.ts";
import { mismatch } from "../helpers/mismatch.ts";
import {
  eachGang,
  eachLeaderWorkerSet,
  eachPodTemplate,
  rulesOfPack,
  type StackRule,
  wholeStack,
} from "../helpers/stack-rule.ts";

const { objectRule, stackRule } = rulesOfPack("inference-gang");

const podsNameTheirPodGroup = stackRule(
  { id: "gang-pods-name-their-pod-group", guidelines: ["G05", "G20"], code: "reference" },
  {
    title: "The PodGroup that pods name is in the stack and in their namespace",
    why: "Without the PodGroup the pods stay pending forever, and no event gives the reason.",
    source: "volcano.sh scheduler: a pod's job is '{namespace}/{scheduling.k8s.io/group-name}'",
    fix: "Create the PodGroup in the pods' namespace, or remove the annotation.",
  },
  eachPodTemplate,
  function* (pods, { stack }) {
    const { group } = pods;
    if (group === undefined) return;
    if (gangOf(pods, stack.gangs) !== undefined) return;
    yield {
      path: [...pods.path, "metadata", "annotations", annotation.groupName],
      given: `is ${group}`,
      allowed: `a PodGroup of the stack in namespace ${pods.workload.namespace}`,
      fix: "Create the PodGroup, or remove the annotation.",
    };
  },
);

const groupIsInOneGang = objectRule(
  { id: "leader-and-workers-share-a-gang", guidelines: ["G05"], code: "conflict" },
  {
    title: "Leader and workers of a group name the same PodGroup",
    why: "Otherwise the pods outside the gang start alone and hold GPUs, or the gang never gets all its pods.",
    source: "volcano.sh: a pod's job is the one that its own annotation names",
    fix: "Set the same scheduling.k8s.io/group-name in leaderTemplate and workerTemplate.",
  },
  eachLeaderWorkerSet,
  function* ({ pods: [leader, worker] }) {
    if (leader === undefined || worker === undefined || leader.group === worker.group) return;
    yield {
      path: [...worker.path, "metadata", "annotations", annotation.groupName],
      given: worker.group === undefined ? "is missing" : `is ${worker.group}`,
      allowed:
        leader.group === undefined
          ? "no annotation, as on the leader"
          : `${leader.group}, as on the leader`,
      fix: "Set the same PodGroup in both templates.",
    };
  },
);

const hasOneScheduler = stackRule(
  { id: "gang-has-one-scheduler", guidelines: ["G05", "G06"], code: "conflict" },
  {
    title: "All pods of a PodGroup set the same schedulerName",
    why: "A scheduler counts only the pods that name it.",
    source: "volcano.sh scheduler: --scheduler-name",
    fix: "Set schedulerName to Volcano's in every pod template of the gang.",
  },
  eachGang,
  function* ({ members }) {
    const schedulers = new Set(members.map(({ spec }) => spec.schedulerName));
    for (const pods of members) {
      const { schedulerName } = pods.spec;
      if (
        schedulers.size === 1 &&
        schedulerName !== undefined &&
        schedulerName !== "default-scheduler"
      )
        continue;
      yield {
        path: [...pods.path, "spec", "schedulerName"],
        given: `is ${schedulerName ?? "missing"}`,
        allowed: "the same gang scheduler for all pods of the gang",
        fix: "Set the same schedulerName in every pod template of the gang.",
      };
    }
  },
);

const leaderStartsWithWorkers = stackRule(
  { id: "gang-workers-start-with-their-leader", guidelines: ["G14"], code: "conflict" },
  {
    title: "If a gang's minimum includes workers, they are created together with their leader",
    why: "With LeaderReady the workers are created only after the leader runs, but the leader waits for the whole gang, so no pod starts.",
    source: "sigs.k8s.io/lws startupPolicy; volcano.sh gang plugin: NotEnoughTasks",
    fix: "Set startupPolicy to LeaderCreated, or lower minMember to the number of leaders.",
  },
  eachLeaderWorkerSet,
  function* ({ set, object, pods, replicas }, { stack }) {
    const [leader, worker] = pods;
    if (set.startupPolicy !== "LeaderReady" || !leader || !worker) return;
    const gang = gangOf(leader, stack.gangs);
    if (gang === undefined || gang.minMember <= replicas) return;
    yield {
      path: [object.index, "spec", "startupPolicy"],
      given: `is LeaderReady, but the gang needs ${gang.minMember} pods`,
      allowed: "LeaderCreated for a gang with workers",
      fix: "Set startupPolicy to LeaderCreated.",
    };
  },
);

const isExclusive = (key: string) =>
  /^leaderworkerset\.sigs\.k8s\.io\/(subgroup-)?exclusive-topology$/.test(key);

const workersAreMadeAtOnce = stackRule(
  { id: "gang-pods-have-no-exclusive-topology", guidelines: ["G15"], code: "conflict" },
  {
    title: "A gang of several pods does not use exclusive topology",
    why: "LeaderWorkerSet creates the workers only after the leader has a node, but the leader waits for the whole gang.",
    source: "sigs.k8s.io/lws pod controller: exclusive-topology",
    fix: "Remove the annotation, and use networkTopology of the PodGroup instead.",
  },
  eachLeaderWorkerSet,
  function* ({ object, pods }, { stack }) {
    const [leader, worker] = pods;
    if (!leader || !worker) return;
    const gang = gangOf(leader, stack.gangs);
    if (gang === undefined || gang.minMember < 2) return;
    const places = [
      {
        path: [object.index, "metadata"],
        keys: Object.keys(object.manifest.metadata.annotations ?? {}),
      },
      ...pods.map(({ path, annotations }) => ({
        path: [...path, "metadata"],
        keys: Object.keys(annotations),
      })),
    ];
    for (const { path, keys } of places)
      for (const key of keys.filter(isExclusive))
        yield {
          path: [...path, "annotations", key],
          given: "is set on a gang",
          allowed: "this annotation only outside of gangs",
          fix: "Remove the annotation.",
        };
  },
);

const priorityIsShared = stackRule(
  { id: "gang-has-one-priority", guidelines: ["G27"], code: "conflict" },
  {
    title: "A PodGroup and its pods have the same priority",
    why: "The scheduler orders gangs by the priority of the PodGroup, and evicts pods by their own priority.",
    source: "volcano.sh: job priority is PodGroup.spec.priorityClassName",
    fix: "Set the same priorityClassName on the PodGroup and in every pod template.",
  },
  eachGang,
  function* ({ members, spec }) {
    for (const pods of members) {
      const { priorityClassName } = pods.spec;
      if (priorityClassName === spec.priorityClassName) continue;
      yield {
        path: [...pods.path, "spec", "priorityClassName"],
        given: priorityClassName === undefined ? "is missing" : `is ${priorityClassName}`,
        allowed:
          spec.priorityClassName === undefined
            ? "no priorityClassName, as on the PodGroup"
            : `${spec.priorityClassName}, as on the PodGroup`,
        fix: "Set the same priorityClassName on both.",
      };
    }
  },
);

const priorityIsGiven = objectRule(
  { id: "gang-has-the-given-priority", guidelines: ["G27"], code: "reference" },
  {
    title: "Gangs have the configured priority class",
    why: "Without a priority class any batch job can evict a serving gang, and all its pods restart.",
    source: "volcano.sh preempt action: by priority of the PodGroup and of the pods",
    fix: "Set priorityClassName on the PodGroup and in the pod templates that name it.",
    parameters: z.object({
      priorityClassName: nonEmptyText
        .optional()
        .describe("Priority class of all gangs. If it is not set, the rule checks nothing."),
    }),
  },
  wholeStack,
  function* (stack, { parameters: { priorityClassName: wanted } }) {
    for (const { path, given } of prioritiesOf(stack)) {
      if (wanted === undefined || given === wanted) continue;
      yield {
        path,
        given: given === undefined ? "is missing" : `is ${given}`,
        allowed: wanted,
        fix: "Set priorityClassName.",
      };
    }
  },
  function* (stack, { parameters: { priorityClassName: wanted } }) {
    if (wanted === undefined) return;
    for (const { path, given } of prioritiesOf(stack))
      if (given === undefined) yield { path, value: wanted };
  },
);

/** Priorities of PodGroups, and of pods that name a PodGroup. */
const prioritiesOf = ({ gangs, workloads }: Stack) => [
  ...gangs.map(({ path, spec }) => ({
    path: [...path, "priorityClassName"],
    given: spec.priorityClassName,
  })),
  ...workloads
    .flatMap(({ pods }) => pods)
    .filter(({ group }) => group !== undefined)
    .map(({ path, spec }) => ({
      path: [...path, "spec", "priorityClassName"],
      given: spec.priorityClassName,
    })),
];

const tierIsSetOnce = objectRule(
  { id: "gang-topology-names-one-tier", guidelines: ["G31"], code: "conflict" },
  {
    title: "A network topology names its highest tier by number or by name, not both",
    why: "The webhook rejects a PodGroup with both.",
    source: "volcano.sh podgroups webhook: highestTierAllowed and highestTierName are exclusive",
    fix: "Keep one of highestTierAllowed and highestTierName.",
  },
  eachGang,
  function* ({ path, spec }) {
    const places = [
      { at: [...path, "networkTopology"], topology: spec.networkTopology },
      ...(spec.subGroupPolicy ?? []).map(({ networkTopology }, at) => ({
        at: [...path, "subGroupPolicy", at, "networkTopology"],
        topology: networkTopology,
      })),
    ];
    for (const { at, topology } of places) {
      if (topology?.highestTierAllowed === undefined || topology.highestTierName === undefined)
        continue;
      yield mismatch(
        at,
        "highestTierName",
        topology.highestTierName,
        "no highestTierName together with highestTierAllowed",
      );
    }
  },
);

export const gangRules: readonly StackRule[] = [
  podsNameTheirPodGroup,
  groupIsInOneGang,
  hasOneScheduler,
  leaderStartsWithWorkers,
  workersAreMadeAtOnce,
  priorityIsShared,
  priorityIsGiven,
  tierIsSetOnce,
];
