/** A LeaderWorkerSet of a service, as far as its plugins go. */
export interface PluginWorkload {
  readonly name: string;
  /** Whether its templates name plugins, or its pods are seen by the webhook. */
  readonly hasPlugins: boolean;
  /** When the youngest of its pods was made, RFC 3339; undefined without pods. */
  readonly youngestPod: string | undefined;
  /** Uids of its pods that are ready and whose hooks OnPodReady have not run. */
  readonly unannounced: ReadonlySet<string>;
}

/** The last failure of a plugin on a pod of a LeaderWorkerSet. */
export interface PluginFailure {
  readonly workload: string;
  /** The pod that is ready and whose hook failed; undefined for a pod that was not made. */
  readonly readyPod: string | undefined;
  readonly message: string;
  /** RFC 3339. */
  readonly at: string;
}

export type AppliedVerdict = { readonly message: string } & (
  | { readonly status: "True"; readonly reason: "PluginsApplied" }
  | { readonly status: "False"; readonly reason: "PluginFailed" | "ReadyHookFailed" }
);

/** Type of the condition on an InferenceService or a ModelServing. */
export const pluginsAppliedType = "PluginsApplied";

/**
 * Whether the plugins of a service do their work. They keep pods from being made where the last failure of a
 * LeaderWorkerSet is younger than all of its pods; and a failed hook OnPodReady counts until it has run. Undefined for
 * a service without plugins.
 */
export function appliedVerdict(
  workloads: readonly PluginWorkload[],
  failures: readonly PluginFailure[],
): AppliedVerdict | undefined {
  const withPlugins = workloads.filter(({ hasPlugins }) => hasPlugins);
  if (withPlugins.length === 0) return undefined;
  const current = withPlugins.flatMap(({ name, youngestPod, unannounced }) =>
    failures.filter(({ workload, readyPod, at }) => {
      if (workload !== name) return false;
      if (readyPod !== undefined) return unannounced.has(readyPod);
      return youngestPod === undefined || at > youngestPod;
    }),
  );
  const refused = current.filter(({ readyPod }) => readyPod === undefined);
  const [last] = (refused.length > 0 ? refused : current).toSorted((a, b) =>
    a.at < b.at ? 1 : -1,
  );
  if (last !== undefined) {
    const reason = last.readyPod === undefined ? "PluginFailed" : "ReadyHookFailed";
    return { status: "False", reason, message: `${last.workload}: ${last.message}` };
  }
  const count =
    withPlugins.length === 1 ? "one LeaderWorkerSet" : `${withPlugins.length} LeaderWorkerSets`;
  return {
    status: "True",
    reason: "PluginsApplied",
    message: `pods of ${count} are created by the service's plugins`,
  };
}
