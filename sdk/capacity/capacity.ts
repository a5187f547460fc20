import type { PodPluginSupport } from "../plugins/registry.ts";
import type { InferenceService, InferenceServiceInput } from "../spec/inference-service.ts";
import { parseInferenceService } from "../validate/inference-service.ts";
import { type Circumstances, forecastStart, type StartForecast } from "./forecast.ts";
import {
  acceleratorAssumptions,
  formatStatus,
  halfStarted,
  whyGangWaits,
} from "./forecast-text.ts";
import type { GpuNode, Packing } from "./gpu-nodes.ts";
import { pluggedService } from "./plugged-service.ts";

/** What a service gets on a set of nodes. */
export interface Capacity extends StartForecast {
  /** Accelerators of all nodes. */
  readonly gpus: number;
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
 * Which replicas of a service start on a given set of nodes, by the rules of the schedulers that place them.
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
  const service = pluggedService(parseInferenceService(input, podPlugins), podPlugins);
  const gpus = nodes.reduce((sum, node) => sum + node.gpus, 0);
  // Pods outside a gang are bound as they come; the gang waits for the last of its pods.
  const circumstances = {
    packing: options.scheduler?.binpack ?? "stock",
    first: "others",
  } as const;
  const forecast = forecastStart(service, nodes, circumstances);
  const note = [
    whyGangWaits(service, gpus, forecast),
    halfStarted(forecast),
    ...dependencies(service, nodes, circumstances, forecast),
    ...acceleratorAssumptions(service),
  ];
  return { gpus, ...forecast, note: note.filter((part) => part !== undefined).join("; ") };
}

/** What would change the answer, and to what. */
function dependencies(
  service: InferenceService,
  nodes: readonly GpuNode[],
  given: Circumstances,
  forecast: StartForecast,
): string[] {
  const otherPacking = given.packing === "gpu" ? "stock" : "gpu";
  const words = {
    stock: "with Volcano's stock configuration, whose binpack does not score GPUs",
    gpu: "with Volcano's binpack scoring nvidia.com/gpu",
  };
  const alternatives = [
    { words: words[otherPacking], circumstances: { ...given, packing: otherPacking } },
    {
      words: "if the gang's pods come before those outside it",
      circumstances: { ...given, first: "gang" },
    },
  ] as const;
  return alternatives.flatMap(({ words, circumstances }) => {
    const other = forecastStart(service, nodes, circumstances);
    return sameReplicas(other, forecast) ? [] : [`${formatStatus(service, other)} ${words}`];
  });
}

function sameReplicas(a: StartForecast, b: StartForecast): boolean {
  return a.replicas.every((replica, at) => replica.scheduledPods === b.replicas[at]?.scheduledPods);
}
