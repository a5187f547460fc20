import { isMap } from "../../kubernetes/values/records.ts";
import { hasClaims } from "../engines/accelerators/pod-accelerators.ts";
import type { ClusterNode } from "../placement/cluster-node.ts";
import type { PodDemand } from "../placement/gpu-nodes.ts";
import { nodeObstacles, type Obstacle } from "../placement/node-fit.ts";
import type { PlacedReplica } from "../placement/placement.ts";
import { roleName } from "./serving-unit.ts";

/** Number of reasons in a note. */
const mostReasons = 3;

/**
 * Returns why pods that were not placed find few nodes, such as `of 4 nodes, 2 accept pods of decode: 2 lack the label
 * gpu=l40s`. Empty if every node accepts every pod.
 */
export function whyNodesRefuse(
  placed: readonly PlacedReplica[],
  nodes: readonly ClusterNode[],
): string[] {
  const waiting = placed.filter(
    ({ replica, scheduledPods }) => scheduledPods < replica.pods.length,
  );
  const notes = waiting.flatMap(({ replica }) =>
    [...new Set(replica.pods.map(({ spec }) => spec))].flatMap((spec) => {
      const refusals = nodes
        .map((node) => nodeObstacles(spec, node))
        .filter((obstacles) => obstacles.length > 0);
      if (refusals.length === 0) return [];
      const accepting = nodes.length - refusals.length;
      const some =
        accepting === 0 ? "none accepts" : accepting === 1 ? "1 accepts" : `${accepting} accept`;
      const of = `of ${nodes.length} ${nodes.length === 1 ? "node" : "nodes"}, ${some}`;
      return [`${of} pods of ${roleName(replica)}: ${reasonsOf(refusals)}`];
    }),
  );
  return [...new Set(notes)];
}

/** A node counts once for each of its reasons, as in the messages of the schedulers. */
function reasonsOf(refusals: readonly Obstacle[][]): string {
  const counts = new Map<string, number>();
  for (const obstacles of refusals)
    for (const text of new Set(obstacles.map((each) => each.text)))
      counts.set(text, (counts.get(text) ?? 0) + 1);
  const sorted = [...counts].toSorted(([, a], [, b]) => b - a);
  const named = sorted
    .slice(0, mostReasons)
    .map(([text, count]) => `${count} ${plural(text, count)}`);
  const others = sorted.length - named.length;
  return [...named, ...(others > 0 ? [`${others} more reasons`] : [])].join(", ");
}

const plurals: ReadonlyArray<readonly [RegExp, string]> = [
  [/^has /, "have "],
  [/^lacks /, "lack "],
  [/^is not the node /, "are not the node "],
  [/^is /, "are "],
  [/^matches no /, "match no "],
];

function plural(text: string, count: number): string {
  if (count === 1) return text;
  const [pattern, word] = plurals.find(([each]) => each.test(text)) ?? [/^/, ""];
  return text.replace(pattern, word);
}

/** Returns the parts of pods that also limit their nodes, and that the placement does not evaluate. */
export function unevaluated(placed: readonly PlacedReplica[]): string[] {
  const specs = new Set(placed.flatMap(({ replica }) => replica.pods.map(({ spec }) => spec)));
  const found = new Set([...specs].flatMap(limitsOf));
  if (found.size === 0) return [];
  return [`${[...found].join(", ")} can also keep pods from nodes, and are not evaluated`];
}

function limitsOf({ affinity, containers, ...spec }: PodDemand["spec"]): string[] {
  const { podAffinity, podAntiAffinity } = isMap(affinity) ? affinity : {};
  const { topologySpreadConstraints, volumes, schedulingGates } = spec as Record<string, unknown>;
  return [
    ...(requiredTerms(podAffinity).length > 0 ? ["affinity to other pods"] : []),
    ...(requiredTerms(podAntiAffinity).some(({ topologyKey }) => topologyKey !== hostname)
      ? ["anti-affinity to other pods"]
      : []),
    ...(listOf(topologySpreadConstraints).some(
      ({ whenUnsatisfiable: when }) => when !== "ScheduleAnyway",
    )
      ? ["topology spread constraints"]
      : []),
    ...(listOf(volumes).some(({ persistentVolumeClaim }) => persistentVolumeClaim !== undefined)
      ? ["persistent volumes"]
      : []),
    ...(containers.some(hasClaims) ? ["resource claims"] : []),
    ...(listOf(schedulingGates).length > 0 ? ["scheduling gates"] : []),
  ];
}

const hostname = "kubernetes.io/hostname";

const requiredTerms = (affinity: unknown) =>
  listOf(isMap(affinity) ? affinity.requiredDuringSchedulingIgnoredDuringExecution : undefined);

const listOf = (value: unknown): ReadonlyArray<Record<string, unknown>> =>
  Array.isArray(value) ? value.filter(isMap) : [];
