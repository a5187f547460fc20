import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { label } from "../names.ts";
import { autoscaledSets } from "../plan/workloads/autoscalers.ts";
import { gpusOfReplica } from "../stack/workloads.ts";
import { lowestServing, plannedReplicas, rolloutOf } from "./set-state.ts";

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
 * @param before the set before the update
 * @param created names of the sets that the update creates. Their replicas do not run yet.
 */
export function rolloutNotice(
  title: string,
  manifests: readonly Manifest[],
  set: string,
  isOrdered: boolean,
  before?: { readonly spec?: unknown },
  created: ReadonlySet<string> = new Set(),
): RolloutNotice {
  const sets = manifests.filter(({ kind }) => kind === "LeaderWorkerSet");
  const own = sets.find(({ metadata }) => metadata.name === set);
  const role = own?.metadata.labels?.[label.roleName];
  const ofRole = sets.filter((each) => (role === undefined ? each === own : roleOf(each) === role));
  const planned = sumOf(ofRole);
  const running =
    before && ofRole.length === 1
      ? plannedReplicas(before as Manifest)
      : sumOf(ofRole.filter(({ metadata }) => !created.has(metadata.name)));
  const replicas = Math.min(running, planned);
  const pods = `${title}: the pods of ${role === undefined ? set : `role ${role}`} restart`;
  if (autoscaledSets(manifests).has(set))
    return {
      message: `${pods}, one replica after the other. An autoscaler sets their number: if it is 1, nothing serves this role until the replica is ready.`,
      interrupts: false,
    };
  if (replicas === 0) return { message: `${title}: ${set} has no pods`, interrupts: false };
  const { maxUnavailable, maxSurge } = rolloutOf(own?.spec);
  const serving = lowestServing(running, planned, maxUnavailable);
  if (maxSurge > 0)
    return {
      message: `${pods}, with up to ${maxSurge} additional replicas, which need ${maxSurge * gpusOfReplica(own)} free accelerators; at least ${serving} of ${replicas} serve meanwhile.`,
      interrupts: serving === 0,
    };
  if (replicas === 1 && planned > 1)
    return {
      message: `${pods}, and nothing serves this role until a replica is ready, because only one replica runs now. First raise replicas to ${planned} in a separate update; then the other replicas serve meanwhile.`,
      interrupts: true,
    };
  if (replicas === 1)
    return {
      message: `${pods}, and nothing serves this role until they are ready, because it has one replica. With replicas: 2 or more, the other replicas serve meanwhile.`,
      interrupts: true,
    };
  if (!isOrdered && ofRole.length > 1)
    return {
      message: `${pods}, all ${replicas} replicas together, because pulumi-inference:rollout is parallel.`,
      interrupts: true,
    };
  const steps =
    maxUnavailable === 1 ? "one replica after the other" : `${maxUnavailable} replicas at a time`;
  return {
    message: `${pods}, ${steps}; ${serving} of ${replicas} serve meanwhile.`,
    interrupts: serving === 0,
  };
}

const sumOf = (sets: readonly Manifest[]) =>
  sets.reduce((sum, each) => sum + plannedReplicas(each), 0);

const roleOf = ({ metadata }: Manifest) => metadata.labels?.[label.roleName];
