import { z } from "zod";
import { PodPluginEntry, podHooks } from "../spec/pod-plugin.ts";
import type { PluginList } from "./plugin-lists.ts";
import { podPluginVersion } from "./pod-plugin.ts";
import type { PodPluginSupport } from "./registry.ts";

/** Key of the file in its ConfigMap. */
export const pluginsFileKey = "plugins.json";

const RunTimePlugin = PodPluginEntry.extend({
  /** The only role whose pods the plugin sees, of an entry in a role's own list. */
  role: z.string().optional(),
  /** Hooks that run in the cluster; the others have run in the plan. */
  runs: z.array(z.enum(podHooks)).min(1),
});

/** What the cluster has to know of the plugins of one workload. */
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

/** The plugins of a workload that have hooks for the cluster to run; undefined where none has. */
export function pluginsFile(
  workload: PluginsFile["workload"],
  lists: readonly PluginList[],
  support: PodPluginSupport,
): PluginsFile | undefined {
  const plugins = lists.flatMap(({ role, entries }) =>
    entries.flatMap((entry): RunTimePlugin[] => {
      const runs = runTimeHooks(entry, support);
      if (runs.length === 0) return [];
      return [{ ...entry, runs, ...(role === undefined ? {} : { role }) }];
    }),
  );
  return plugins.length === 0 ? undefined : { version: podPluginVersion, workload, plugins };
}

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
