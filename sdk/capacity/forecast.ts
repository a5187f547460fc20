import { type InferenceService, isDisaggregated } from "../spec/inference-service.ts";
import { layOut } from "../topology/role-layout.ts";
import { schedulerOf, volcano } from "../topology/scheduling.ts";
import { FillingNodes, type GpuNode, type Packing, type PodDemand } from "./gpu-nodes.ts";
import { gangOrder, podByPod, type StartingReplica, startingReplicas } from "./start-order.ts";

/** What would be running of one replica. */
export interface ReplicaForecast {
  readonly role: string;
  readonly index: number;
  readonly scheduledPods: number;
  /** Pods of the whole replica. */
  readonly size: number;
}

/**
 * Full: every replica is whole. Partial: some are, and together they serve. Blocked: nothing serves, because no
 * replica is whole or because prefill or decode is missing.
 */
export type CapacityStatus = "Full" | "Partial" | "Blocked";

export interface StartForecast {
  readonly status: CapacityStatus;
  readonly replicas: readonly ReplicaForecast[];
  readonly idleGpus: number;
}

/** What is not in the spec and decides all the same. */
export interface Circumstances {
  readonly packing: Packing;
  /** Who takes GPUs first where roles stand outside the gang. */
  readonly first: "gang" | "others";
}

/** Which replicas start on empty nodes, when all pods of the service exist and nothing else wants the nodes. */
export function forecastStart(
  service: InferenceService,
  nodes: readonly GpuNode[],
  { packing, first }: Circumstances,
): StartForecast {
  const { spec, metadata } = service;
  const replicas = startingReplicas(layOut(metadata.name, spec));
  const inGang = replicas.filter(({ layout }) => layout.inGang);
  const others = replicas.filter(({ layout }) => !layout.inGang);

  const gang = { ...gangOrder(spec.schedulingStrategy.gang.layout, inGang), packing };
  // Only Volcano is told by its configuration to score GPUs.
  const byVolcano = schedulerOf(spec.schedulingStrategy, false) === volcano;
  const single = { ...podByPod(others), packing: byVolcano ? packing : ("stock" as const) };

  const filling = new FillingNodes(nodes);
  const scheduled = new Map<object, number>();
  const place = (pods: readonly PodDemand[], how: Packing): boolean => {
    const placed = filling.placeAll(pods, how);
    if (placed) for (const pod of pods) count(scheduled, pod.replica);
    return placed;
  };
  for (const order of first === "gang" ? [gang, single] : [single, gang]) {
    if (!place(order.minimum, order.packing)) continue;
    for (const turn of order.further) place(turn, order.packing);
  }

  const forecasts = replicas.map((replica) => forecastOf(replica, scheduled));
  return { status: statusOf(service, forecasts), replicas: forecasts, idleGpus: filling.idleGpus };
}

function count(scheduled: Map<object, number>, replica: object) {
  scheduled.set(replica, (scheduled.get(replica) ?? 0) + 1);
}

function forecastOf(
  { layout, index, pods }: StartingReplica,
  scheduled: ReadonlyMap<object, number>,
): ReplicaForecast {
  const scheduledPods = (pods[0] && scheduled.get(pods[0].replica)) ?? 0;
  return { role: layout.role.name, index, scheduledPods, size: layout.size };
}

export const isWhole = ({ scheduledPods, size }: ReplicaForecast) => scheduledPods === size;

function statusOf(service: InferenceService, replicas: readonly ReplicaForecast[]): CapacityStatus {
  if (replicas.every(isWhole)) return "Full";
  return serves(service, replicas) ? "Partial" : "Blocked";
}

/** A worker serves alone, a prefiller and a decoder serve together. */
function serves({ spec }: InferenceService, replicas: readonly ReplicaForecast[]): boolean {
  const whole = new Set(replicas.filter(isWhole).map(({ role }) => role));
  const serving = spec.roles.filter(({ name }) => whole.has(name));
  return (
    serving.some(({ componentType }) => componentType === "worker") || isDisaggregated(serving)
  );
}
