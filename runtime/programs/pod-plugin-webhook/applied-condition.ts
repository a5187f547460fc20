/** A LeaderWorkerSet of a service, as far as its plugins go. */
export interface PluggedWorkload {
  readonly name: string;
  /** Whether its templates name plugins, or its pods are seen by the webhook. */
  readonly isPlugged: boolean;
  /** When the youngest of its pods was made, RFC 3339; undefined without pods. */
  readonly youngestPod: string | undefined;
}

/** The last word on plugins that kept a pod of a LeaderWorkerSet from being made. */
export interface PluginFailure {
  readonly workload: string;
  readonly message: string;
  /** RFC 3339. */
  readonly at: string;
}

export type AppliedVerdict = { readonly message: string } & (
  | { readonly status: "True"; readonly reason: "PluginsApplied" }
  | { readonly status: "False"; readonly reason: "PluginFailed" }
);

/** Type of the condition on the status object of a service. */
export const pluginsAppliedType = "PluginsApplied";

/**
 * Whether plugins keep pods of a service from being made: where the last failure of a LeaderWorkerSet is younger than all
 * of its pods. Undefined for a service without plugins.
 */
export function appliedVerdict(
  workloads: readonly PluggedWorkload[],
  failures: readonly PluginFailure[],
): AppliedVerdict | undefined {
  const plugged = workloads.filter(({ isPlugged }) => isPlugged);
  if (plugged.length === 0) return undefined;
  const standing = plugged.flatMap(({ name, youngestPod }) =>
    failures.filter(
      ({ workload, at }) => workload === name && (youngestPod === undefined || at > youngestPod),
    ),
  );
  const [last] = standing.toSorted((a, b) => (a.at < b.at ? 1 : -1));
  if (last !== undefined) {
    const message = `${last.workload}: ${last.message}`;
    return { status: "False", reason: "PluginFailed", message };
  }
  const count = plugged.length === 1 ? "one LeaderWorkerSet" : `${plugged.length} LeaderWorkerSets`;
  return {
    status: "True",
    reason: "PluginsApplied",
    message: `pods of ${count} are made by the service's plugins`,
  };
}
