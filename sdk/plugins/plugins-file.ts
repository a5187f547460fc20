import { z } from "zod";
import { PodPluginEntry, podHooks } from "../spec/pod-plugin.ts";
import type { WorkloadIdentity } from "./hook-request.ts";
import type { PlacedEntry } from "./plugin-lists.ts";
import { podPluginVersion } from "./pod-plugin.ts";
import type { PodPluginSupport } from "./registry.ts";

const RunTimePlugin = PodPluginEntry.extend({
  /** The only role whose pods the plugin sees, of an entry in a role's own list. */
  role: z.string().optional(),
  /** Hooks that run in the cluster; the others have run in the plan. */
  runs: z.array(z.enum(podHooks)).min(1),
});

/** What the cluster has to know of the plugins of a LeaderWorkerSet; it stands in an annotation. */
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
 * Bytes that the plugins of a LeaderWorkerSet may have as JSON. All annotations of an object may have 256 KiB, and
 * `kubectl apply` writes each of them a second time, quoted, into one of its own.
 */
export const mostPluginBytes = 64 * 1024;

/** The plugins of a LeaderWorkerSet that have hooks for the cluster to run; undefined where none has. */
export function pluginsFile(
  { apiVersion, kind, metadata }: WorkloadIdentity,
  entries: readonly PlacedEntry[],
  support: PodPluginSupport,
): PluginsFile | undefined {
  const plugins = runtimePlugins(entries, support);
  if (plugins.length === 0) return undefined;
  return { version: podPluginVersion, workload: { apiVersion, kind, metadata }, plugins };
}

/** The plugins of these entries that have hooks for the cluster to run. */
export const runtimePlugins = (
  entries: readonly PlacedEntry[],
  support: PodPluginSupport,
): RunTimePlugin[] =>
  entries.flatMap(({ entry, role }): RunTimePlugin[] => {
    const runs = runTimeHooks(entry, support);
    if (runs.length === 0) return [];
    return [{ ...entry, runs, ...(role === undefined ? {} : { role }) }];
  });

/** Hooks of a plugin that run in the cluster. */
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
