import type { Path } from "../errors.ts";
import type { PodPluginEntry } from "../spec/pod-plugin.ts";
import type { ChainLink } from "./chain.ts";
import type { PodPluginSupport } from "./registry.ts";
import { isInScope, type PodLocation } from "./scope.ts";

/** One list of `plugins`, where it stands, and of whose pods. */
export interface PluginList<Entries = readonly PodPluginEntry[]> {
  readonly path: Path;
  /** The only role that a role's own list is for. */
  readonly role?: string | undefined;
  readonly entries: Entries;
}

/** An entry, where it stands, and of whose list it is. */
export interface PlacedEntry {
  readonly entry: PodPluginEntry;
  readonly path: Path;
  readonly role?: string | undefined;
}

/** The entries of all lists that a place is in the scope of, in the order in which they run. */
export function entriesFor(lists: readonly PluginList[], place: PodLocation): PlacedEntry[] {
  return entriesForRole(lists, place.roleName).filter(({ entry }) => isInScope(entry, place));
}

/** The entries of all lists that are for pods of a role. */
export const entriesForRole = (lists: readonly PluginList[], roleName: string): PlacedEntry[] =>
  lists
    .flatMap(({ path, role, entries }) =>
      entries.map((entry, at) => ({ entry, path: [...path, at], role })),
    )
    .filter((placed) => isForRole(placed, roleName));

/** Whether an entry is for some pods of a role. */
export const isForRole = ({ entry: { scope }, role }: PlacedEntry, roleName: string): boolean =>
  (role === undefined || role === roleName) && (scope.roles?.includes(roleName) ?? true);

/** Whether a plugin runs on each pod, in the cluster, rather than on templates, in the plan. */
export function runsPerPod(entry: PodPluginEntry, { registry }: PodPluginSupport): boolean {
  return entry.type === "Webhook" || registry.get(entry.name)?.per === "pod";
}

/** The chain of a place as far as it runs in the plan. Entries are those of a valid spec. */
export function templateChain(
  lists: readonly PluginList[],
  support: PodPluginSupport,
  place: PodLocation,
): ChainLink[] {
  return entriesFor(lists, place)
    .filter(({ entry }) => !runsPerPod(entry, support))
    .flatMap(({ entry, path }) => {
      const plugin = support.registry.get(entry.name);
      if (plugin?.onPodCreate === undefined) return [];
      return [{ plugin, entry, path, config: plugin.config.parse(entry.config ?? {}) }];
    });
}
