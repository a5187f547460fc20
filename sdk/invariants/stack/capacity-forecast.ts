import { acceleratorsOfPod } from "../../capacity/accelerators.ts";
import {
  FillingNodes,
  type GpuNode,
  type Packing,
  type PodDemand,
} from "../../capacity/gpu-nodes.ts";
import { type Gang, gangOf } from "./gangs.ts";
import type { Stack } from "./stack.ts";
import type { StackObject } from "./stack-object.ts";
import { subGroupPods } from "./sub-groups.ts";
import { asPodSpec, type Pods, type Workload } from "./workloads.ts";

/** Accelerators of each pod of something that is placed together or not at all. */
type Turn = readonly number[];

/** What starts together, and what joins it later. */
interface Demand {
  readonly object: StackObject;
  readonly minimum: Turn;
  readonly further: readonly Turn[];
}

/** What of a gang, or of a workload without one, gets nodes. */
export interface StartOutcome {
  readonly object: StackObject;
  /** Accelerators of all its pods. */
  readonly gpus: number;
  /** Accelerators of its minimum. */
  readonly least: number;
  readonly pods: number;
  readonly started: number;
  /** Blocked: not even the minimum is placed. */
  readonly status: "Full" | "Partial" | "Blocked";
}

/**
 * What of a stack starts on nodes that nobody else wants, counted in accelerators and nothing else. Minima go first,
 * those with the largest pods before others: what is blocked then has no room in any order, where pods divide nodes.
 */
export function forecastStack(
  stack: Stack,
  nodes: readonly GpuNode[],
  packing: Packing,
): StartOutcome[] {
  const filling = new FillingNodes(nodes);
  const place = (turn: Turn) => filling.placeAll(turn.map(demandOf), packing);
  const demands = demandsOf(stack);
  const bySize = demands.toSorted((a, b) => Math.max(0, ...b.minimum) - Math.max(0, ...a.minimum));
  const begun = new Set(bySize.filter(({ minimum }) => place(minimum)));
  return demands.map((demand) => {
    const { object, minimum, further } = demand;
    const pods = minimum.length + sum(further.map(({ length }) => length));
    const least = sum(minimum);
    const counts = { object, gpus: least + sum(further.flat()), least, pods };
    if (!begun.has(demand)) return { ...counts, started: 0, status: "Blocked" };
    const joined = further.filter(place);
    const started = minimum.length + sum(joined.map(({ length }) => length));
    return { ...counts, started, status: started === pods ? "Full" : "Partial" };
  });
}

const demandOf = (gpus: number): PodDemand => ({ gpus, distinctNode: false, replica: {} });

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);

function demandsOf({ everyWorkload, gangs }: Stack): Demand[] {
  const alone = everyWorkload().filter(
    ({ object, pods: [first] }) =>
      object.kind !== "apps/DaemonSet" &&
      (first === undefined || gangOf(first, gangs) === undefined),
  );
  return [
    // Pods of a gang without members are made by others.
    ...gangs.filter(({ members }) => members.length > 0).map(demandOfGang),
    ...alone.map(demandOfWorkload),
  ].filter(({ minimum, further }) => sum([...minimum, ...further.flat()]) > 0);
}

const gpusOf = ({ spec }: Pods): number => acceleratorsOfPod(asPodSpec(spec));

const repeated = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);

/** One replica of a workload. */
const replicaOf = ({ pods }: Workload): number[] =>
  pods.flatMap((each) => repeated(each.inReplica, gpusOf(each)));

/** The pods of a workload without a gang come one by one; it serves when one replica is whole. */
function demandOfWorkload(workload: Workload): Demand {
  const { object, replicas } = workload;
  const replica = replicaOf(workload);
  if (replicas === 0) return { object, minimum: [], further: [] };
  return {
    object,
    minimum: replica,
    further: repeated(replicas - 1, replica).flatMap((pods) => pods.map((gpus) => [gpus])),
  };
}

function demandOfGang(gang: Gang): Demand {
  const { object, spec, members, minMember } = gang;
  const policies = (spec.subGroupPolicy ?? []).filter(({ minSubGroups = 0 }) => minSubGroups > 0);
  if (policies.length > 0) {
    const groups = policies.map((policy) => ({
      replicas: [...new Set(subGroupPods(policy, members).map(({ workload }) => workload))].flatMap(
        (workload) => repeated(workload.replicas, replicaOf(workload)),
      ),
      least: policy.minSubGroups ?? 0,
    }));
    return {
      object,
      minimum: groups.flatMap(({ replicas, least }) => replicas.slice(0, least).flat()),
      further: groups.flatMap(({ replicas, least }) => replicas.slice(least)),
    };
  }
  const pods = members.flatMap((each) => repeated(each.count, gpusOf(each)));
  const least = spec.minTaskMember === undefined ? minMember : pods.length;
  return {
    object,
    minimum: pods.slice(0, least),
    further: pods.slice(least).map((gpus) => [gpus]),
  };
}
