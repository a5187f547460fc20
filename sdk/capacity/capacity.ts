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

/** Forecast of a service on a set of nodes. */
export interface Capacity {
  /** Accelerators of all nodes. */
  readonly gpus: number;
  readonly status: CapacityStatus;
  readonly replicas: readonly ReplicaForecast[];
  readonly idleGpus: number;
  /** Reason for the status, and the assumptions it depends on; empty if there are none. */
  readonly note: string;
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
 * Forecasts the replicas of a service that start on a set of nodes, by the rules of the schedulers that place them. It
 * uses the planned objects, after the changes of pod plugins.
 *
 * The forecast assumes that no other workload uses the nodes and that all pods are pending. It counts only
 * accelerators. If nodes become available before all pods exist, the order of pod creation decides which replicas
 * start beyond the gang's minimum, for example decode-1 instead of decode-0. The forecast covers only the start: a
 * gang does not protect a running service.
 *
 * - Every replica that it reports as started fits on the nodes.
 * - If all pods request the same number of GPUs and no replica needs distinct nodes, the result is exact for every
 *   scheduler configuration.
 * - On nodes of equal size, a gang starts exactly if its minimum can be placed at all, provided that the GPU counts
 *   per pod divide one another and the node's count (1, 2, 4 and 8 on 8), no replica needs distinct nodes and
 *   `binpack` is `"gpu"`: filling the fullest node first leaves less free than one pod needs.
 * - In other cases the result depends on the scheduler's choice of nodes. The forecast follows the scheduler's scores,
 *   and the note reports whether the other configuration gives a different result.
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
  // Pods outside a gang are bound as they arrive; the gang waits for the last of its pods.
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

/** Returns the circumstances under which the forecast might differ. */
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
