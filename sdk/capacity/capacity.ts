import { type Circumstances, forecastStart, type PlacedReplica } from "../forecast/forecast.ts";
import type { GpuNode, Packing } from "../forecast/gpu-nodes.ts";
import { planInferenceService } from "../plan/inference-service.ts";
import type { PodPluginSupport } from "../plugins/registry.ts";
import {
  type InferenceService,
  type InferenceServiceInput,
  isDisaggregated,
} from "../spec/inference-service.ts";
import { readStack } from "../stack/stack.ts";
import { parseInferenceService } from "../validate/inference-service.ts";
import {
  acceleratorAssumptions,
  formatStatus,
  halfStarted,
  largerThanNodes,
  whyGangWaits,
} from "./forecast-text.ts";
import { type CapacityStatus, isWhole, type ReplicaForecast } from "./replica-forecast.ts";

/** What a service gets on a set of nodes. */
export interface Capacity {
  /** Accelerators of all nodes. */
  readonly gpus: number;
  readonly status: CapacityStatus;
  readonly replicas: readonly ReplicaForecast[];
  readonly idleGpus: number;
  /** Why, and on what the answer depends; empty where there is nothing to say. */
  readonly note: string;
}

export interface CapacityOptions {
  readonly scheduler?: {
    /**
     * What Volcano's binpack plugin scores. `stock` (default): cpu and memory, as shipped. `gpu`: nvidia.com/gpu
     * too, by `binpack.resources` in the scheduler's configuration.
     */
    readonly binpack?: Packing;
  };
  /** Pod plugins that the spec may use. Default: the built-in ones. */
  readonly podPlugins?: PodPluginSupport | undefined;
}

/**
 * Which replicas of a service start on a given set of nodes, by the rules of the schedulers that place them. The planned
 * objects are what is placed, as plugins leave them.
 *
 * The forecast is for nodes that only this service wants, with all its pods waiting; it counts accelerators and
 * nothing else. Where nodes are there before all pods are, the order in which pods are created decides which replicas
 * start beyond the gang's minimum, decode-1 in place of decode-0 for one. It stays true for what starts: a gang protects the start, not the running service.
 *
 * - Whatever it reports as started fits on the nodes.
 * - Where all pods ask for the same number of GPUs and no replica needs distinct nodes, the answer is exact and no
 *   scheduler configuration changes it.
 * - On nodes of one size, with GPU counts per pod that divide one another and the node (1, 2, 4 and 8 on 8), no
 *   distinct nodes and `binpack: "gpu"`, a gang starts exactly where its minimum can be placed at all: filling the
 *   fullest node first then leaves less free than one pod needs.
 * - Elsewhere the scheduler's choice of nodes decides; the forecast follows its scores, and the note says where the
 *   other configuration gives another answer.
 *
 * @throws SpecError with every problem of the spec
 */
export function capacity(
  input: InferenceServiceInput,
  nodes: readonly GpuNode[],
  options: CapacityOptions = {},
): Capacity {
  const { podPlugins } = options;
  const service = parseInferenceService(input, podPlugins);
  const stack = readStack(planInferenceService(input, { podPlugins }));
  const forecast = (circumstances: Circumstances) => {
    const { replicas, idleGpus } = forecastStart(stack, nodes, circumstances);
    const placed = replicas.filter(({ replica }) => replica.role !== undefined);
    return { placed, idleGpus, ...statusOf(service, placed.map(forecastOf)) };
  };
  // Pods outside a gang are bound as they come; the gang waits for the last of its pods.
  const given = { packing: options.scheduler?.binpack ?? "stock", first: "others" } as const;
  const { placed, ...found } = forecast(given);
  const gpus = nodes.reduce((sum, node) => sum + node.gpus, 0);
  const dependencies = alternativesOf(given).flatMap(({ words, circumstances }) => {
    const other = forecast(circumstances);
    return samePods(other.placed, placed) ? [] : [`${formatStatus(service, other)} ${words}`];
  });
  const note = [
    whyGangWaits(placed, gpus),
    ...largerThanNodes(placed, nodes),
    halfStarted(found.replicas),
    ...dependencies,
    ...acceleratorAssumptions(placed),
  ];
  return { gpus, ...found, note: note.filter((part) => part !== undefined).join("; ") };
}

const forecastOf = ({ replica, scheduledPods }: PlacedReplica): ReplicaForecast => ({
  role: replica.role ?? "",
  index: replica.index,
  scheduledPods,
  size: replica.pods.length,
});

const packingWords = {
  stock: "with Volcano's stock configuration, whose binpack does not score GPUs",
  gpu: "with Volcano's binpack scoring nvidia.com/gpu",
} as const;

/** What might change the answer. */
function alternativesOf(
  given: Circumstances,
): ReadonlyArray<{ readonly words: string; readonly circumstances: Circumstances }> {
  const packing = given.packing === "gpu" ? "stock" : "gpu";
  return [
    { words: packingWords[packing], circumstances: { ...given, packing } },
    {
      words: "if the gang's pods are scheduled before the pods outside it",
      circumstances: { ...given, first: "gangs" },
    },
  ];
}

const samePods = (a: readonly PlacedReplica[], b: readonly PlacedReplica[]): boolean =>
  a.every(({ scheduledPods }, at) => scheduledPods === b[at]?.scheduledPods);

function statusOf(
  service: InferenceService,
  replicas: readonly ReplicaForecast[],
): Pick<Capacity, "status" | "replicas"> {
  if (replicas.every(isWhole)) return { status: "Full", replicas };
  return { status: serves(service, replicas) ? "Partial" : "Blocked", replicas };
}

/** A worker serves alone, a prefiller and a decoder serve together. */
function serves({ spec }: InferenceService, replicas: readonly ReplicaForecast[]): boolean {
  const whole = new Set(replicas.filter(isWhole).map(({ role }) => role));
  const serving = spec.roles.filter(({ name }) => whole.has(name));
  return (
    serving.some(({ componentType }) => componentType === "worker") || isDisaggregated(serving)
  );
}
