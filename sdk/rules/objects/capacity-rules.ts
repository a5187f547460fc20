import { z } from "zod";
import { toUnits, zero } from "../../../kubernetes/values/quantity.ts";
import type { Finding } from "../../invariant.ts";
import { clusterNode } from "../../placement/cluster-node.ts";
import { deviceCounts, formatDevices } from "../../placement/device-counts.ts";
import { isClusterNode, type PlacementNodes } from "../../placement/gpu-nodes.ts";
import { refusalsOf, refusedPods } from "../../placement/node-choice.ts";
import { matchesNoLabels } from "../../placement/node-fit.ts";
import {
  type Circumstances,
  type PlacedReplica,
  placeStack,
  variants,
} from "../../placement/placement.ts";
import type { Stack } from "../../stack/stack.ts";
import type { StackObject } from "../../stack/stack-object.ts";
import { rulesOfPack, type StackRule, wholeStack } from "../helpers/stack-rule.ts";

const { stackRule } = rulesOfPack("inference-gang");

export const cluster = z.object({
  nodes: z
    .union([z.array(z.int().min(0)), z.array(clusterNode)])
    .optional()
    .describe(
      "Nodes of the cluster: Node objects, or the free accelerators of each node, which then accepts every pod. If it is not set, the rule checks nothing.",
    ),
  binpack: z
    .enum(["stock", "gpu"])
    .default("stock")
    .describe("Resources that Volcano's binpack scores: CPU and memory (its default), or GPUs."),
});

/** Pods that start of one gang, or of one workload without a gang. */
interface StartOutcome {
  readonly object: StackObject;
  /** Accelerators of all pods, with their unit if it is known. */
  readonly accelerators: string;
  /** Whether it waits only for nodes with labels that no node of the cluster has. */
  readonly lacksLabels: boolean;
  /** Why no node accepts its pods; undefined if a node does, or if only numbers of nodes are known. */
  readonly refusal: string | undefined;
  readonly pods: number;
  readonly started: number;
}

/** Returns an outcome for each gang and each workload without a gang, if its pods request accelerators. */
export function outcomes(
  stack: Stack,
  { nodes, binpack }: z.output<typeof cluster>,
  first: Circumstances["first"],
  variant?: number,
): StartOutcome[] {
  if (nodes === undefined) return [];
  const given = nodesOfRule(nodes);
  const known = given.filter(isClusterNode);
  const { replicas } = placeStack(stack, given, {
    packing: binpack,
    first,
    ...(variant !== undefined && { variant }),
  });
  const byObject = Map.groupBy(replicas, ({ replica: { gang, workload } }) =>
    gang === undefined ? workload.object : gang.object,
  );
  return [...byObject]
    .filter(
      ([, its]) =>
        its.some(({ replica }) => replica.pods.some(({ gpus }) => gpus > 0)) ||
        refusedPods(its, known).length > 0,
    )
    .map(([object, its]) => ({
      object,
      accelerators: acceleratorsOf(its, given),
      lacksLabels: lackLabels(its, given),
      refusal: refusalOf(its, given),
      pods: sum(its.map(({ replica }) => replica.pods.length)),
      started: sum(its.map(({ scheduledPods }) => scheduledPods)),
    }));
}

type Nodes = NonNullable<z.output<typeof cluster>["nodes"]>;

const nodesOfRule = (nodes: Nodes): PlacementNodes =>
  isNumbers(nodes) ? nodes.map((gpus) => ({ gpus })) : nodes;

const isNumbers = (nodes: Nodes): nodes is number[] => typeof nodes[0] === "number";

function acceleratorsOf(placed: readonly PlacedReplica[], nodes: PlacementNodes): string {
  const pods = placed.flatMap(({ replica }) => replica.pods);
  const kinds = new Set(placed.flatMap(({ replica }) => replica.kinds));
  const offered = deviceCounts(nodes.filter(isClusterNode), kinds);
  const units = new Set([...kinds, ...offered.keys()]);
  // One unit needs no name.
  if (!nodes.some(isClusterNode) || units.size === 1)
    return String(sum(pods.map(({ gpus }) => gpus)));
  const counts = [...kinds].map((kind): [string, number] => [
    kind,
    sum(pods.map(({ requests }) => toUnits(requests.get(kind) ?? zero))),
  ]);
  return formatDevices(new Map(counts));
}

/** Nodes that an autoscaler would add may have the labels. */
const lackLabels = (placed: readonly PlacedReplica[], nodes: PlacementNodes): boolean => {
  const known = nodes.filter(isClusterNode);
  return (
    known.length > 0 &&
    placed.some(
      ({ replica, scheduledPods }) =>
        scheduledPods < replica.pods.length &&
        replica.pods.some(({ spec }) => matchesNoLabels(spec, known)),
    )
  );
};

/** Returns all reasons why no empty node accepts a pod that does not start, by frequency. */
function refusalOf(placed: readonly PlacedReplica[], nodes: PlacementNodes): string | undefined {
  const known = nodes.filter(isClusterNode);
  if (known.length === 0) return undefined;
  const [refused] = refusedPods(placed, known);
  return refused && refusalsOf(refused.spec, known);
}

/** If no node has the labels that a workload selects, an autoscaler may still add such nodes. */
const blocks = ({ started, lacksLabels }: StartOutcome) => started === 0 && !lacksLabels;

const isNumber = ({ accelerators }: StartOutcome) => /^\d+$/.test(accelerators);

export const isFull = ({ started, pods }: StartOutcome) => started === pods;

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);

const minimumFits = stackRule(
  { id: "minimum-fits-the-cluster", guidelines: ["G39"], code: "count" },
  {
    title:
      "The cluster's nodes have the capacity for the minimum of every gang plus one replica of every other workload",
    why: "A workload that does not fit waits forever, and no event reports how much is missing.",
    source: "volcano.sh allocate action: a gang's minimum is placed whole or not at all",
    fix: "Add nodes, lower the minimum, or request fewer accelerators per pod. `pulumi-inference capacity` tries out sizes.",
    parameters: cluster,
  },
  wholeStack,
  function* (stack, { parameters }) {
    const all = outcomes(stack, parameters, "minima");
    const first = all.find(blocks);
    // If nodes differ in size, all pods may fit in plan order even if the minima do not fit when they are placed first.
    if (first === undefined || outcomes(stack, parameters, "others").every(isFull)) return;
    // Nodes of a cluster also differ in labels and resources: another choice of nodes may fit.
    const isBlocked = (variant: number) =>
      outcomes(stack, parameters, "minima", variant).some(blocks);
    if (!isNumbers(parameters.nodes ?? []) && !variants.every(isBlocked)) return;
    yield finding(first, all, parameters.nodes, {
      given:
        first.accelerators === "0"
          ? "has pods that no node accepts"
          : `requests ${first.accelerators}${isNumber(first) ? " accelerators" : ""}, and its minimum does not fit`,
      allowed: "minimums that fit on the nodes at the same time",
      fix: "Add nodes, or lower the minimum.",
    });
  },
);

const stackFits = stackRule(
  { id: "stack-fits-the-cluster", guidelines: ["G39"], code: "count", level: "advisory" },
  {
    title: "All pods of a stack fit on the cluster's nodes",
    why: "The service runs with fewer replicas than requested, and the remaining pods wait.",
    source: "volcano.sh allocate action; k8s.io/kubernetes scheduler",
    fix: "Add nodes, or lower the replicas.",
    parameters: cluster,
  },
  wholeStack,
  function* (stack, { parameters }) {
    // The other rule reports minima that do not fit.
    const minima = outcomes(stack, parameters, "minima");
    if (minima.some(blocks)) return;
    const all = outcomes(stack, parameters, "others");
    const first = all.find((outcome) => !isFull(outcome));
    if (first === undefined) return;
    if (first.lacksLabels)
      yield finding(first, all, parameters.nodes, {
        given: "requires labels that no node of the cluster has",
        allowed: "labels of a node, or of nodes that an autoscaler adds",
        fix: "Label the nodes or correct the selector; ignore this if an autoscaler adds nodes with these labels.",
      });
    else
      yield finding(first, all, parameters.nodes, {
        given: `can start only ${first.started} of ${first.pods} pods`,
        allowed: "at most the pods that fit on the nodes",
        fix: "Add nodes, or lower the replicas.",
      });
  },
);

/** Returns one finding with a table of all outcomes, because the capacity left depends on all workloads that start. */
function finding(
  { object, refusal }: StartOutcome,
  all: readonly StartOutcome[],
  nodes: Nodes = [],
  { fix, ...words }: Pick<Finding, "given" | "allowed" | "fix">,
): Finding {
  const rows = [
    [`of ${nodes.length} nodes with ${totalOf(nodes, all)}`, "GPUs", "Starts"],
    ...all.map((outcome) => [nameOfOutcome(outcome), outcome.accelerators, textOfOutcome(outcome)]),
  ];
  return {
    path: [object.index, "spec"],
    ...words,
    fix: [refusal === undefined ? fix : `${fix} Reasons: ${refusal}.`, table(rows)].join("\n"),
  };
}

function totalOf(nodes: Nodes, all: readonly StartOutcome[]): string {
  const given = nodesOfRule(nodes);
  const counts = deviceCounts(given.filter(isClusterNode), new Set());
  const [only] = counts.values();
  if (only !== undefined)
    return counts.size === 1 && all.every(isNumber) ? String(only) : formatDevices(counts);
  return String(sum(given.map((node) => (isClusterNode(node) ? 0 : node.gpus))));
}

const nameOfOutcome = ({ object: { manifest } }: StartOutcome) =>
  `${manifest.kind} ${manifest.metadata.namespace ?? "default"}/${manifest.metadata.name}`;

function textOfOutcome(outcome: StartOutcome): string {
  const { started, pods } = outcome;
  if (started === 0) return outcome.lacksLabels ? "Unknown" : "Blocked";
  return isFull(outcome) ? "Full" : `Partial (${started} of ${pods} pods)`;
}

function table(rows: readonly (readonly string[])[]): string {
  const width = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const widths = [width(0), width(1)];
  return rows
    .map((row) =>
      row
        .map((text, at) => text.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

export const capacityRules: readonly StackRule[] = [minimumFits, stackFits];
