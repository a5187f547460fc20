import { z } from "zod";
import { PodPluginEntry, podHooks } from "../spec/pod-plugin.ts";
import type { WorkloadIdentity } from "./hook-request.ts";
import type { PlacedEntry } from "./plugin-lists.ts";
import { podPluginVersion } from "./pod-plugin.ts";
import type { PodPluginSupport } from "./registry.ts";

const RunTimePlugin = PodPluginEntry.extend({
  /** The only role whose pods the plugin receives; set for an entry of a role's list. */
  role: z.string().optional(),
  /** Hooks that run in the cluster; all others have run in the plan. */
  runs: z.array(z.enum(podHooks)).min(1),
});

/** The data that the cluster needs about the plugins of a LeaderWorkerSet, stored in an annotation. */
export const PluginsFile = z.strictObject({
  version: z.literal(podPluginVersion),
  workload: z.strictObject({
    apiVersion: z.string(),
    kind: z.string(),
    metadata: z.strictObject({ name: z.string(), namespace: z.string() }),
  }),
  plugins: z.array(RunTimePlugin).min(1),
});

export type PluginsFile = z.infer<typeof PluginsFile>;
export type RunTimePlugin = z.infer<typeof RunTimePlugin>;

/**
 * Maximum size of the plugins of a LeaderWorkerSet as JSON, in bytes. Kubernetes limits all annotations of an object
 * to 256 KiB, and `kubectl apply` writes each of them a second time, quoted, into an annotation of its own.
 */
export const mostPluginBytes = 64 * 1024;

/** Returns the plugins of a LeaderWorkerSet with hooks that run in the cluster; undefined if there are none. */
export function pluginsFile(
  { apiVersion, kind, metadata }: WorkloadIdentity,
  entries: readonly PlacedEntry[],
  support: PodPluginSupport,
): PluginsFile | undefined {
  const plugins = runtimePlugins(entries, support);
  if (plugins.length === 0) return undefined;
  return { version: podPluginVersion, workload: { apiVersion, kind, metadata }, plugins };
}

/** Returns the plugins of these entries with hooks that run in the cluster. */
export const runtimePlugins = (
  entries: readonly PlacedEntry[],
  support: PodPluginSupport,
): RunTimePlugin[] =>
  entries.flatMap(({ entry, role }): RunTimePlugin[] => {
    const runs = runTimeHooks(entry, support);
    if (runs.length === 0) return [];
    return [{ ...entry, runs, ...(role === undefined ? {} : { role }) }];
  });

/** Returns the hooks of a plugin that run in the cluster. */
export function runTimeHooks(
  entry: PodPluginEntry,
  { registry }: PodPluginSupport,
): RunTimePlugin["runs"] {
  if (entry.type === "Webhook") return entry.webhook?.hooks ?? [];
  const plugin = registry.get(entry.name);
  return podHooks.filter((hook) =>
    hook === "OnPodReady"
      ? plugin?.onPodReady !== undefined
      : plugin?.per === "pod" && plugin.onPodCreate !== undefined,
  );
}
