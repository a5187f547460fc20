import { z } from "zod";
import { type Circumstances, forecastStart } from "../../forecast/forecast.ts";
import type { Finding } from "../../invariant.ts";
import type { Stack } from "../../stack/stack.ts";
import type { StackObject } from "../../stack/stack-object.ts";
import { rulesOfPack, type StackRule, wholeStack } from "./stack-rule.ts";

const { stackRule } = rulesOfPack("inference-gang");

const cluster = z.object({
  nodes: z
    .array(z.int().min(0))
    .optional()
    .describe(
      "Free accelerators of each node of the cluster. If it is not set, the rule checks nothing.",
    ),
  binpack: z
    .enum(["stock", "gpu"])
    .default("stock")
    .describe("Resources that Volcano's binpack scores: CPU and memory (its default), or GPUs."),
});

/** Pods that start of one gang, or of one workload without a gang. */
interface StartOutcome {
  readonly object: StackObject;
  /** Accelerators of all pods. */
  readonly gpus: number;
  readonly pods: number;
  readonly started: number;
}

/** Returns an outcome for each gang and each workload without a gang, if its pods request accelerators. */
function outcomes(
  stack: Stack,
  { nodes, binpack }: z.output<typeof cluster>,
  first: Circumstances["first"],
): StartOutcome[] {
  if (nodes === undefined) return [];
  const gpuNodes = nodes.map((gpus) => ({ gpus }));
  const { replicas } = forecastStart(stack, gpuNodes, { packing: binpack, first });
  const byObject = Map.groupBy(replicas, ({ replica: { gang, workload } }) =>
    gang === undefined ? workload.object : gang.object,
  );
  return [...byObject]
    .map(([object, its]) => ({
      object,
      gpus: sum(its.flatMap(({ replica }) => replica.pods.map(({ gpus }) => gpus))),
      pods: sum(its.map(({ replica }) => replica.pods.length)),
      started: sum(its.map(({ scheduledPods }) => scheduledPods)),
    }))
    .filter(({ gpus }) => gpus > 0);
}

const isFull = ({ started, pods }: StartOutcome) => started === pods;

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
    const first = all.find(({ started }) => started === 0);
    // If nodes differ in size, all pods may fit in plan order even if the minima do not fit when they are placed first.
    if (first === undefined || outcomes(stack, parameters, "others").every(isFull)) return;
    yield finding(first, all, parameters.nodes, {
      given: `requests ${first.gpus} accelerators, and its minimum does not fit`,
      allowed: "minimums that fit the nodes together",
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
    if (outcomes(stack, parameters, "minima").some(({ started }) => started === 0)) return;
    const all = outcomes(stack, parameters, "others");
    const first = all.find((outcome) => !isFull(outcome));
    if (first === undefined) return;
    yield finding(first, all, parameters.nodes, {
      given: `can start only ${first.started} of ${first.pods} pods`,
      allowed: "at most the pods that fit on the nodes",
      fix: "Add nodes, or lower the replicas.",
    });
  },
);

/** Returns one finding with a table of all outcomes, because the capacity left depends on all workloads that start. */
function finding(
  { object }: StartOutcome,
  all: readonly StartOutcome[],
  nodes: readonly number[] = [],
  { fix, ...words }: Pick<Finding, "given" | "allowed" | "fix">,
): Finding {
  const gpus = nodes.reduce((sum, each) => sum + each, 0);
  const rows = [
    [`of ${nodes.length} nodes with ${gpus}`, "GPUs", "Starts"],
    ...all.map((outcome) => [nameOf(outcome), String(outcome.gpus), statusOf(outcome)]),
  ];
  return { path: [object.index, "spec"], ...words, fix: `${fix}\n${table(rows)}` };
}

const nameOf = ({ object: { manifest } }: StartOutcome) =>
  `${manifest.kind} ${manifest.metadata.namespace ?? "default"}/${manifest.metadata.name}`;

function statusOf(outcome: StartOutcome): string {
  const { started, pods } = outcome;
  if (started === 0) return "Blocked";
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
