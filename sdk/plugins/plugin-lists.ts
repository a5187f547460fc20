import type { Path } from "../errors.ts";
import type { PodPluginEntry } from "../spec/pod-plugin.ts";
import type { ChainLink } from "./chain.ts";
import type { PodPluginSupport } from "./registry.ts";
import { isInScope, type PodLocation } from "./scope.ts";

/** One list of `plugins`, with its path, and the role to which it applies. */
export interface PluginList<Entries = readonly PodPluginEntry[]> {
  readonly path: Path;
  /** The role of a role's list; undefined for the service's list. */
  readonly role?: string | undefined;
  readonly entries: Entries;
}

/** An entry with its path, and the role of its list. */
export interface PlacedEntry {
  readonly entry: PodPluginEntry;
  readonly path: Path;
  readonly role?: string | undefined;
}

/** Returns the entries of all lists whose scope contains these pods, in the order in which they run. */
export function entriesFor(lists: readonly PluginList[], place: PodLocation): PlacedEntry[] {
  return entriesForRole(lists, place.roleName).filter(({ entry }) => isInScope(entry, place));
}

/** Returns the entries of all lists that apply to pods of a role. */
export const entriesForRole = (lists: readonly PluginList[], roleName: string): PlacedEntry[] =>
  lists
    .flatMap(({ path, role, entries }) =>
      entries.map((entry, at) => ({ entry, path: [...path, at], role })),
    )
    .filter((placed) => isForRole(placed, roleName));

/** Whether an entry applies to some pods of a role. */
export const isForRole = ({ entry: { scope }, role }: PlacedEntry, roleName: string): boolean =>
  (role === undefined || role === roleName) && (scope.roles?.includes(roleName) ?? true);

/** Whether a plugin runs in the cluster on each pod, and not in the plan on templates. */
export function runsPerPod(entry: PodPluginEntry, { registry }: PodPluginSupport): boolean {
  return entry.type === "Webhook" || registry.get(entry.name)?.per === "pod";
}

/** Returns the part of a chain that runs in the plan. The entries must be valid. */
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
