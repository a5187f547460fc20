/** Plugin state of a LeaderWorkerSet of a service. */
export interface PluginWorkload {
  readonly name: string;
  /** Whether its templates name plugins, or the webhook runs plugins on its pods. */
  readonly hasPlugins: boolean;
  /** Creation time of its youngest pod, RFC 3339; undefined without pods. */
  readonly youngestPod: string | undefined;
  /** Uids of its ready pods whose OnPodReady hooks have not run. */
  readonly unannounced: ReadonlySet<string>;
}

/** The last failure of a plugin on a pod of a LeaderWorkerSet. */
export interface PluginFailure {
  readonly workload: string;
  /** Uid of the ready pod whose hook failed; undefined if the pod was not created. */
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
 * Returns whether the plugins of a service work; undefined for a service without plugins. Plugins prevent pods if the
 * last failure on a LeaderWorkerSet is newer than all of its pods. A failed OnPodReady hook counts until it has run.
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
