import { label } from "../names.ts";
import type { InferenceService } from "../spec/inference-service.ts";
import { layOut } from "../topology/role-layout.ts";
import type { ObservedEvent, ObservedPod, ObservedPodGroup } from "./observed.ts";
import { namesNodes, shortageIn } from "./unschedulable.ts";

/** Message of Volcano's gang plugin: the pods that do not fit, and all pods of the gang. */
const tooFew = /^(\d+)\/\d+ tasks in gang unschedulable/;

/** The objects that describe whether a gang has started. */
export interface GangObjects {
  readonly podGroup: ObservedPodGroup | undefined;
  readonly pods: readonly ObservedPod[];
  readonly events: readonly ObservedEvent[];
}

/** Describes the nodes or pods that a gang waits for; undefined if it has started or there is no gang. */
export function waitingGang(service: InferenceService, objects: GangObjects): string | undefined {
  const gang = gangOf(service);
  const total = gang.reduce((sum, { size, minReplicas }) => sum + size * minReplicas, 0);
  const { podGroup } = objects;
  if (total === 0 || !isWaiting(podGroup)) return undefined;
  const pods = podsOf(service, objects);
  const placed = pods.filter(({ scheduled, deleting }) => scheduled && !deleting).length;
  // Volcano counts only pods that exist.
  const reported = Number(tooFew.exec(podGroup.message ?? "")?.[1] ?? 0) || total;
  const missing = Math.min(reported, total - placed);
  if (missing <= 0) return undefined;
  const unit = gang.some(({ size }) => size > 1) ? "nodes" : "pods";
  const message = reasonOf(service, objects);
  const because = message === undefined ? "" : ` (${shortageIn(message)})`;
  return `waiting for ${missing} of ${total} ${unit}${because}`;
}

/**
 * Returns the pods with the reason of their gang if the scheduler's message about a pod has none. Volcano puts the reason
 * into the condition of one pod, or only into an event of the PodGroup.
 */
export function podsWithReasons(
  service: InferenceService,
  objects: GangObjects,
): readonly ObservedPod[] {
  const { podGroup, pods } = objects;
  if (!isWaiting(podGroup)) return pods;
  const message = reasonOf(service, objects);
  if (message === undefined) return pods;
  const own = new Set(podsOf(service, objects));
  return pods.map((pod) => {
    const { unschedulable } = pod;
    if (unschedulable === undefined || !own.has(pod) || namesNodes(unschedulable.message))
      return pod;
    return { ...pod, unschedulable: { ...unschedulable, message } };
  });
}

const gangOf = ({ metadata, spec }: InferenceService) =>
  layOut(metadata.name, spec).filter(({ inGang }) => inGang);

const isWaiting = (podGroup: ObservedPodGroup | undefined): podGroup is ObservedPodGroup =>
  podGroup !== undefined && podGroup.phase !== "Running" && podGroup.phase !== "Completed";

function podsOf(service: InferenceService, { pods }: GangObjects): ObservedPod[] {
  const roles = new Set(gangOf(service).map(({ role }) => role.name));
  return pods.filter(({ labels }) => roles.has(labels[label.roleName] ?? ""));
}

/** Returns the most specific message: about nodes, about the resources of the cluster or queue, about counts of pods. */
function reasonOf(service: InferenceService, objects: GangObjects): string | undefined {
  const { podGroup, events } = objects;
  const messages = [
    podGroup?.message,
    ...podsOf(service, objects).map(({ unschedulable }) => unschedulable?.message),
  ].flatMap((message) => message || []);
  const refusal =
    podGroup?.phase === "Pending"
      ? events
          .filter(({ about, reason, message }) => {
            const isRefusal = reason === "Unschedulable" && !tooFew.test(message);
            return isRefusal && about === podGroup.name;
          })
          .toSorted((a, b) => (a.at < b.at ? -1 : 1))
          .at(-1)?.message
      : undefined;
  return messages.find(namesNodes) ?? refusal ?? messages[0];
}
