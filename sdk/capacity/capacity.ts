import type { Manifest } from "../../kubernetes/values/manifest.ts";
import type { ClusterNode } from "../placement/cluster-node.ts";
import { deviceCounts } from "../placement/device-counts.ts";
import {
  type GpuNode,
  isClusterNode,
  type Packing,
  type PlacementNodes,
} from "../placement/gpu-nodes.ts";
import { refusedPods } from "../placement/node-choice.ts";
import { matchesNoLabels } from "../placement/node-fit.ts";
import {
  type Circumstances,
  type PlacedReplica,
  placeStack,
  variants,
} from "../placement/placement.ts";
import { planInferenceService } from "../plan/inference-service.ts";
import type { PodPluginSupport } from "../plugins/registry.ts";
import type { InferenceServiceInput } from "../spec/inference-service.ts";
import { readStack, type Stack } from "../stack/stack.ts";
import {
  acceleratorAssumptions,
  claimAssumptions,
  formatStatus,
  halfStarted,
  largerThanNodes,
  whyGangWaits,
} from "./capacity-text.ts";
import { unevaluated, whyNodesRefuse } from "./node-notes.ts";
import type { CapacityStatus, ReplicaPlacement } from "./replica-placement.ts";
import {
  placementOf,
  type ServingRole,
  type ServingUnit,
  servingUnits,
  statusOf,
} from "./serving-unit.ts";

/** Accelerators of one resource. */
export interface DeviceCount {
  readonly total: number;
  /** Accelerators that stay free. */
  readonly idle: number;
}

/** Placement of a service on a set of nodes. */
export interface Capacity {
  /** Accelerators of all nodes; undefined if nodes of a cluster have several resources, whose sum has no unit. */
  readonly gpus?: number;
  readonly status: CapacityStatus;
  readonly replicas: readonly ReplicaPlacement[];
  /** Accelerators that stay free; undefined like `gpus`. */
  readonly idleGpus?: number;
  /** Accelerators by resource, for nodes of a cluster. */
  readonly devices?: Readonly<Record<string, DeviceCount>>;
  /** Reason for the status, and the assumptions it depends on; empty if there are none. */
  readonly note: string;
}

/** Placement of one service of a stack. */
export interface StackCapacity extends Capacity {
  /** `chat`, or `Deployment ml/vllm` for a workload of another author. */
  readonly service: string;
  readonly roles: readonly ServingRole[];
}

export interface CapacityOptions {
  readonly scheduler?: {
    /**
     * Resources that Volcano's binpack plugin scores. `stock` (default): cpu and memory, as in Volcano's default
     * configuration. `gpu`: also nvidia.com/gpu, with `binpack.resources` in the scheduler's configuration.
     */
    readonly binpack?: Packing;
  };
  /** Pod plugins that the spec may use. Default: the built-in ones. */
  readonly podPlugins?: PodPluginSupport | undefined;
}

/**
 * Places the replicas of a service that start on a set of nodes, by the rules of the schedulers that place them. It
 * uses the planned objects, after the changes of pod plugins.
 *
 * The placement assumes that no other workload uses the nodes and that all pods are pending. On nodes that are given as
 * numbers it counts only accelerators; nodes of a cluster also have labels, taints and every allocatable resource. If nodes become available before all pods exist, the order of pod creation decides which replicas
 * start beyond the gang's minimum, for example decode-1 instead of decode-0. The placement covers only the start: a
 * gang does not protect a running service.
 *
 * - Every replica that it reports as started fits on the nodes.
 * - If all pods request the same number of GPUs and no replica needs distinct nodes, the result is exact for every
 *   scheduler configuration.
 * - On nodes of equal size, a gang starts exactly if its minimum can be placed at all, provided that the GPU counts
 *   per pod divide one another and the node's count (1, 2, 4 and 8 on 8), no replica needs distinct nodes and
 *   `binpack` is `"gpu"`: filling the fullest node first leaves less free than one pod needs.
 * - In other cases the result depends on the scheduler's choice of nodes. The placement follows the scheduler's scores,
 *   and the note reports whether the other configuration gives a different result.
 *
 * @throws SpecError with every problem of the spec
 */
export function capacity(
  input: InferenceServiceInput,
  nodes: PlacementNodes,
  options: CapacityOptions = {},
): Capacity {
  const { podPlugins } = options;
  const [row] = rowsOf(readStack(planInferenceService(input, { podPlugins })), nodes, options);
  const { service: _, roles: __, ...found } = row ?? emptyRow(nodes);
  return found;
}

/**
 * Places every service of a stack on the same nodes: they compete for them. A workload of another author counts as a
 * service if it requests accelerators.
 *
 * @param objects objects of any author, with `unknownValue` for each value that is not known
 * @throws UnknownValueError if a value that affects the pods (their number, resources or placement) is not known
 */
export const stackCapacity = (
  objects: readonly (Manifest | unknown)[],
  nodes: PlacementNodes,
  options: Pick<CapacityOptions, "scheduler"> = {},
): StackCapacity[] => rowsOf(readStack(objects), nodes, options);

function rowsOf(
  stack: Stack,
  nodes: PlacementNodes,
  { scheduler }: Pick<CapacityOptions, "scheduler">,
): StackCapacity[] {
  // Pods outside a gang are bound as they arrive; the gang waits for the last of its pods.
  const given = { packing: scheduler?.binpack ?? "stock", first: "others" } as const;
  const { replicas, idle } = placeStack(stack, nodes, given);
  const alternatives = alternativesOf(given, nodes).map(({ words, circumstances }) => {
    const units = servingUnits(placeStack(stack, nodes, circumstances).replicas);
    return { words, units };
  });
  return servingUnits(replicas).map((unit, at) => {
    const others = alternatives.flatMap(({ words, units }) => {
      const other = units[at];
      if (other === undefined || samePods(other.placed, unit.placed)) return [];
      return [`${textOf(other)} ${words}`];
    });
    return rowOf(unit, nodes, idle, [...new Set(others)]);
  });
}

function rowOf(
  unit: ServingUnit,
  nodes: PlacementNodes,
  idle: ReadonlyMap<string, number>,
  dependencies: readonly string[],
): StackCapacity {
  const { name: service, roles, placed } = unit;
  const replicas = placed.map(placementOf);
  const kinds = new Set(placed.flatMap(({ replica }) => replica.kinds));
  const counts = countsOf(nodes, kinds, idle);
  const clusterNodes = nodes.filter(isClusterNode);
  const common = [halfStarted(replicas), ...dependencies];
  const note = isNumbers(nodes)
    ? [
        whyGangWaits(placed, counts.gpus ?? 0),
        ...largerThanNodes(placed, nodes),
        ...common,
        ...acceleratorAssumptions(placed),
      ]
    : [
        whyGangWaits(placed, deviceCounts(clusterNodes, kinds)),
        ...whyNodesRefuse([...placed, ...unit.attending], clusterNodes),
        ...common,
        ...claimAssumptions(placed),
        ...unevaluated(placed),
      ];
  const status = statusWith(unit, replicas, clusterNodes);
  return { service, roles, ...counts, status, replicas, note: joined(note) };
}

/** A service that is only blocked because no node has its labels may start on nodes that an autoscaler adds. */
function statusWith(
  { roles, placed, attending }: ServingUnit,
  replicas: readonly ReplicaPlacement[],
  nodes: readonly ClusterNode[],
): CapacityStatus {
  const refused = refusedPods(attending, nodes);
  if (refused.some((pod) => !matchesNoLabels(pod.spec, nodes))) return "Blocked";
  const status = refused.length > 0 ? "Unknown" : statusOf(roles, replicas);
  if (status !== "Blocked" || nodes.length === 0) return status;
  const mayStart = placed.map((each, at) => {
    const { replica } = each;
    const placement = replicas[at] as ReplicaPlacement;
    const isUnlabelled = replica.pods.some(({ spec }) => matchesNoLabels(spec, nodes));
    return isUnlabelled ? { ...placement, scheduledPods: placement.size } : placement;
  });
  return statusOf(roles, mayStart) === "Blocked" ? status : "Unknown";
}

const isNumbers = (nodes: PlacementNodes): nodes is readonly GpuNode[] =>
  !nodes.some(isClusterNode);

/** Numbers of accelerators with their unit: one number if there is one unit. */
function countsOf(
  nodes: PlacementNodes,
  kinds: ReadonlySet<string>,
  idle: ReadonlyMap<string, number>,
): Pick<Capacity, "gpus" | "idleGpus" | "devices"> {
  if (isNumbers(nodes))
    return {
      gpus: nodes.reduce((sum, { gpus }) => sum + gpus, 0),
      idleGpus: idle.get("") ?? 0,
    };
  const totals = [...deviceCounts(nodes.filter(isClusterNode), kinds)];
  const devices = Object.fromEntries(
    totals.map(([resource, total]) => [resource, { total, idle: idle.get(resource) ?? 0 }]),
  );
  if (totals.length > 1) return { devices };
  const [only] = totals;
  return { gpus: only?.[1] ?? 0, idleGpus: idle.get(only?.[0] ?? "") ?? 0, devices };
}

/** Row of a service without replicas. */
function emptyRow(nodes: PlacementNodes): Capacity & { service?: string; roles?: unknown } {
  const idle = placeStack(readStack([]), nodes, { packing: "stock", first: "others" }).idle;
  return { ...countsOf(nodes, new Set(), idle), status: "Full", replicas: [], note: "" };
}

const joined = (parts: readonly (string | undefined)[]) =>
  parts.filter((part) => part !== undefined).join("; ");

function textOf({ roles, placed }: ServingUnit): string {
  const replicas = placed.map(placementOf);
  return formatStatus({ spec: { roles } }, { status: statusOf(roles, replicas), replicas });
}

const packingWords = {
  stock: "with Volcano's stock configuration, whose binpack does not score GPUs",
  gpu: "with Volcano's binpack scoring nvidia.com/gpu",
} as const;

/** Returns the circumstances under which the placement might differ. */
function alternativesOf(
  given: Circumstances,
  nodes: PlacementNodes,
): ReadonlyArray<{ readonly words: string; readonly circumstances: Circumstances }> {
  const packing = given.packing === "gpu" ? "stock" : "gpu";
  const words = "if pods are scheduled in another order, or on other nodes";
  return [
    { words: packingWords[packing], circumstances: { ...given, packing } },
    {
      words: "if the gang's pods are scheduled before the pods outside it",
      circumstances: { ...given, first: "gangs" },
    },
    ...(isNumbers(nodes)
      ? []
      : variants.map((variant) => ({ words, circumstances: { ...given, variant } }))),
  ];
}

const samePods = (a: readonly PlacedReplica[], b: readonly PlacedReplica[]): boolean =>
  a.every(({ scheduledPods }, at) => scheduledPods === b[at]?.scheduledPods);
