import type { InferenceService } from "../spec/inference-service.ts";
import { label } from "../topology/names.ts";
import { layOut } from "../topology/role-layout.ts";
import type { ObservedPod, ObservedPodGroup } from "./observed.ts";
import { shortageIn } from "./unschedulable.ts";

/** Message of Volcano's gang plugin: the pods that do not fit, and all pods of the gang. */
const tooFew = /^(\d+)\/\d+ tasks in gang unschedulable/;

/** Describes the nodes or pods that a gang waits for; undefined if it has started or there is no gang. */
export function waitingGang(
  { metadata, spec }: InferenceService,
  podGroup: ObservedPodGroup | undefined,
  pods: readonly ObservedPod[],
): string | undefined {
  const gang = layOut(metadata.name, spec).filter(({ inGang }) => inGang);
  const total = gang.reduce((sum, { size, minReplicas }) => sum + size * minReplicas, 0);
  if (total === 0 || podGroup === undefined) return undefined;
  if (podGroup.phase === "Running" || podGroup.phase === "Completed") return undefined;
  const roles = new Set(gang.map(({ role }) => role.name));
  const placed = pods.filter(
    ({ labels, scheduled, deleting }) =>
      scheduled && !deleting && roles.has(labels[label.roleName] ?? ""),
  ).length;
  const reported = Number(tooFew.exec(podGroup.message ?? "")?.[1] ?? total);
  const missing = Math.min(reported, total - placed);
  if (missing <= 0) return undefined;
  const unit = gang.some(({ size }) => size > 1) ? "nodes" : "pods";
  const message = podGroup.message ?? pods.find((pod) => pod.unschedulable)?.unschedulable?.message;
  const because = message === undefined ? "" : ` (${shortageIn(message)})`;
  return `waiting for ${missing} of ${total} ${unit}${because}`;
}
