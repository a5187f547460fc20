import type { z } from "zod";
import type { Finding } from "../../invariant.ts";
import { annotation } from "../../names.ts";
import { variants } from "../../placement/placement.ts";
import { scaledReplicas } from "../../placement/starting-replicas.ts";
import { type RollingUpdate, updateOfDeployment, updateOfSet } from "../../stack/rolling-update.ts";
import type { Stack } from "../../stack/stack.ts";
import { acceleratorsOfPods, type Workload } from "../../stack/workloads.ts";
import { volcano } from "../../topology/scheduling.ts";
import { eachWorkload, rulesOfPack, type StackRule } from "../helpers/stack-rule.ts";
import { cluster, isFull, outcomes } from "./capacity-rules.ts";

/** Rules on updates that can never end. */

const { stackRule } = rulesOfPack("inference-gang");

const deployment = "apps/Deployment";

/** Returns the replicas of a workload, or the minimum of its autoscaler if the object sets no replicas. */
const replicasOf = (workload: Workload, { objects }: Stack): number =>
  scaledReplicas(workload, objects) ?? workload.replicas;

function updateOf({ object, set }: Workload, replicas: number): RollingUpdate | undefined {
  if (object.kind === deployment) return updateOfDeployment(object.manifest.spec, replicas);
  return set && updateOfSet(set, replicas);
}

/** Returns a stack with one more replica of a workload, as a rolling update creates it. */
function withOneMore(stack: Stack, workload: Workload): Stack {
  const { object } = workload;
  const spec = { ...(object.manifest.spec as object), replicas: 1 };
  const added: Workload = Object.create(workload, {
    object: { value: { ...object, manifest: { ...object.manifest, spec } } },
    replicas: { value: 1 },
  });
  return { ...stack, everyWorkload: () => [...stack.everyWorkload(), added] };
}

const updateHasRoom = stackRule(
  { id: "update-fits-the-cluster", guidelines: ["G21", "G39"], code: "count", level: "advisory" },
  {
    title: "An update that adds a replica before it stops one has free accelerators for it",
    why: "The old pods keep their accelerators until the new pod is ready. Without free accelerators the new pod stays Pending, and the update never ends.",
    source:
      "k8s.io/kubernetes, Deployment rollingUpdate: 25 % of one replica is maxSurge 1 and maxUnavailable 0",
    fix: "Set maxSurge to 0 and maxUnavailable to 1, use the strategy Recreate, or add nodes.",
    parameters: cluster,
  },
  eachWorkload,
  function* (workload, { stack, parameters }) {
    if (parameters.nodes === undefined) return;
    const replicas = replicasOf(workload, stack);
    const update = updateOf(workload, replicas);
    if (replicas === 0 || update === undefined || update.away > 0 || update.added === 0) return;
    if (workload.pods.every((pods) => acceleratorsOfPods(pods) === 0)) return;
    // Other rules report pods that do not fit before an update.
    if (!canStart(stack, parameters) || canStart(withOneMore(stack, workload), parameters)) return;
    yield {
      path: [workload.object.index, "spec", ...strategyPath(workload)],
      given: `adds a replica before it stops one (maxSurge ${update.added} and maxUnavailable ${update.away} of ${replicas}), and no node has the accelerators for it`,
      allowed: "free accelerators for one more replica, or an update that stops a replica first",
      fix: "Set maxSurge to 0 and maxUnavailable to 1; ignore this if an autoscaler adds nodes.",
    };
  },
);

/** Reports whether all pods start in some order, on some choice of nodes. */
const canStart = (stack: Stack, parameters: z.output<typeof cluster>): boolean =>
  outcomes(stack, parameters, "others").every(isFull) ||
  outcomes(stack, parameters, "minima").every(isFull) ||
  variants.some((variant) => outcomes(stack, parameters, "others", variant).every(isFull));

const strategyPath = ({ set }: Workload) =>
  set === undefined
    ? ["strategy", "rollingUpdate"]
    : ["rolloutStrategy", "rollingUpdateConfiguration"];

/** Pods that the controller of a workload creates before any of them is ready, or new pods of an update. */
interface Together {
  readonly pods: number;
  readonly when: string;
  readonly fix: string;
}

function* createdTogether(workload: Workload, replicas: number): Iterable<Together> {
  const { object } = workload;
  if (object.kind === "apps/StatefulSet") {
    const { podManagementPolicy = "OrderedReady" } = object.manifest.spec as {
      podManagementPolicy?: string;
    };
    if (podManagementPolicy !== "Parallel")
      yield {
        pods: Math.min(1, replicas),
        when: "OrderedReady creates one pod at a time",
        fix: "Set podManagementPolicy to Parallel.",
      };
  }
  yield {
    pods: replicas,
    when: `it has ${podsText(replicas)}`,
    fix: "Lower the minimum, or raise the replicas.",
  };
  const update =
    object.kind === deployment ? updateOfDeployment(object.manifest.spec, replicas) : undefined;
  if (update === undefined) return;
  const created = Math.min(replicas, update.added + update.away);
  yield {
    pods: created,
    when: `an update creates ${podsText(created)} of the new ReplicaSet, which has a PodGroup of its own, before they are ready`,
    fix: "Set maxSurge to 100%, use the strategy Recreate, or use a LeaderWorkerSet.",
  };
}

const podsText = (count: number): string => `${count} ${count === 1 ? "pod" : "pods"}`;

/** Kinds whose annotation Volcano reads for the PodGroup that it creates. */
const annotated = [deployment, "apps/ReplicaSet", "apps/StatefulSet", "batch/Job"];

const gangOfPodsIsComplete = stackRule(
  {
    id: "generated-gang-can-be-complete",
    guidelines: ["G07", "G21"],
    code: "count",
    level: "advisory",
  },
  {
    title: "The pods that a workload creates together are enough for its group-min-member",
    why: "Volcano creates a PodGroup for each ReplicaSet, StatefulSet or Job, and starts none of its pods before group-min-member pods exist. The workload creates no further pods until these are ready.",
    source: "volcano.sh podgroup controller, getMinMemberFromUpperRes; volcano-sh/volcano#4739",
    fix: "Set maxSurge to 100% or the strategy to Recreate (Deployment), podManagementPolicy to Parallel (StatefulSet), or lower the minimum.",
  },
  eachWorkload,
  function* (workload, { stack }): Iterable<Finding> {
    const { object, pods } = workload;
    const written = object.manifest.metadata.annotations?.[annotation.groupMinMember];
    if (written === undefined || !annotated.includes(object.kind)) return;
    if (pods.every(({ spec, group }) => spec.schedulerName !== volcano || group !== undefined))
      return;
    const minimum = /^\d+$/.test(written) ? Number(written) : 1;
    const replicas = replicasOf(workload, stack);
    if (replicas === 0) return;
    for (const together of createdTogether(workload, replicas)) {
      if (together.pods >= minimum) continue;
      yield {
        path: [object.index, "metadata", "annotations", annotation.groupMinMember],
        given: `is ${minimum}, but ${together.when}`,
        allowed: `at most ${together.pods}`,
        fix: together.fix,
      };
      return;
    }
  },
);

export const updateRules: readonly StackRule[] = [updateHasRoom, gangOfPodsIsComplete];
