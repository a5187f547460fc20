import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { autoscaledSets } from "../plan/workloads/autoscalers.ts";
import { gpusOfReplica } from "../stack/workloads.ts";
import { label } from "../topology/names.ts";
import { plannedReplicas, rolloutOf } from "./set-state.ts";

/** Report of a preview about an update that restarts the pods of a role. */
export interface RolloutNotice {
  readonly message: string;
  /** Whether the role serves nothing for a while. */
  readonly interrupts: boolean;
}

/**
 * Returns the notice for the role of one LeaderWorkerSet.
 *
 * @param title title of the component, such as `InferenceService "qwen"`
 * @param manifests every planned object of the component
 * @param isOrdered whether updates of several sets wait for each other
 */
export function rolloutNotice(
  title: string,
  manifests: readonly Manifest[],
  set: string,
  isOrdered: boolean,
): RolloutNotice {
  const sets = manifests.filter(({ kind }) => kind === "LeaderWorkerSet");
  const own = sets.find(({ metadata }) => metadata.name === set);
  const role = own?.metadata.labels?.[label.roleName];
  const ofRole = sets.filter((each) => (role === undefined ? each === own : roleOf(each) === role));
  const replicas = ofRole.reduce((sum, each) => sum + plannedReplicas(each), 0);
  const pods = `${title}: the pods of ${role === undefined ? set : `role ${role}`} restart`;
  if (autoscaledSets(manifests).has(set))
    return {
      message: `${pods}, one replica after the other. An autoscaler sets their number: if it is 1, nothing serves this role until the replica is ready.`,
      interrupts: false,
    };
  if (replicas === 0) return { message: `${title}: ${set} has no pods`, interrupts: false };
  const { maxUnavailable, maxSurge } = rolloutOf(own?.spec);
  if (maxSurge > 0)
    return {
      message: `${pods}, with up to ${maxSurge} additional replicas, which need ${maxSurge * gpusOfReplica(own)} free accelerators; at least ${Math.max(0, replicas - maxUnavailable)} of ${replicas} serve meanwhile.`,
      interrupts: maxUnavailable >= replicas,
    };
  if (replicas === 1)
    return {
      message: `${pods}, and nothing serves this role until they are ready: it has one replica. With replicas: 2 or more, the others serve meanwhile.`,
      interrupts: true,
    };
  if (!isOrdered && ofRole.length > 1)
    return {
      message: `${pods}, all ${replicas} replicas together, because pulumi-inference:rollout is parallel.`,
      interrupts: true,
    };
  const steps =
    maxUnavailable === 1 ? "one replica after the other" : `${maxUnavailable} replicas at a time`;
  const serving = Math.max(0, replicas - maxUnavailable);
  return {
    message: `${pods}, ${steps}; ${serving} of ${replicas} serve meanwhile.`,
    interrupts: serving === 0,
  };
}

const roleOf = ({ metadata }: Manifest) => metadata.labels?.[label.roleName];
