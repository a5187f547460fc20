import { capacity, type GpuNode, type InferenceService } from "../sdk/index.ts";
import { label, lwsLabel } from "../sdk/names.ts";
import type { Pod } from "../testing/stand-ins/objects.ts";
import { gpusOf } from "../testing/stand-ins/scheduler.ts";
import type { AdmitGang } from "../testing/stand-ins/start.ts";

/** Plays the gang scheduler for one service: the replicas that its capacity contains are placed, whole. */
export function admitByPlacement(service: InferenceService, nodes: readonly GpuNode[]): AdmitGang {
  const { replicas } = capacity(service, nodes);
  const starting = replicas.filter(({ scheduledPods, size }) => scheduledPods === size);
  return ({ pods, freeGpus }) => {
    const free = new Map(freeGpus);
    return starting.flatMap(({ role, index, size }) => {
      const members = pods.filter((pod) => isOf(pod, role, index));
      const waiting = members.filter((pod) => pod.spec.nodeName === undefined);
      return members.length === size ? placeAll(waiting, free) : [];
    });
  };
}

/** Whether a pod belongs to a replica. */
export function isOf(
  { metadata: { labels = {} } = {} }: { metadata?: { labels?: Readonly<Record<string, string>> } },
  role: string,
  index: number,
): boolean {
  const replica = labels[label.replicaIndex] ?? labels[lwsLabel.groupIndex];
  return labels[label.roleName] === role && replica === String(index);
}

/** A node for every pod, or none for any. */
function placeAll(pods: readonly Pod[], free: Map<string, number>) {
  const trial = new Map(free);
  const placements: Array<{ pod: string; node: string }> = [];
  for (const pod of pods) {
    const gpus = gpusOf(pod);
    const node = [...trial].find(([, room]) => room >= gpus)?.[0];
    if (node === undefined) return [];
    trial.set(node, (trial.get(node) ?? 0) - gpus);
    placements.push({ pod: pod.metadata.name, node });
  }
  for (const [node, room] of trial) free.set(node, room);
  return placements;
}
