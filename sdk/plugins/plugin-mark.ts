import { canonicalJson, digest } from "../../kubernetes/values/canonical-json.ts";
import type { PodPluginEntry } from "../spec/pod-plugin.ts";
import { annotation } from "../topology/names.ts";

/**
 * The annotations that say which plugins changed a pod, and by which configuration. A plugin's place
 * and its scope are left out of the digest: they decide on which pods it is, not what it does.
 */
export function pluginMark(applied: readonly PodPluginEntry[]): Record<string, string> {
  if (applied.length === 0) return {};
  return {
    [annotation.plugins]: applied.map(({ name }) => name).join(","),
    [annotation.pluginsHash]: pluginsHash(applied),
  };
}

/** Ten hexadecimal digits, other ones for another configuration or order. */
export function pluginsHash(applied: readonly PodPluginEntry[]): string {
  return digest(canonicalJson(applied.map(({ scope: _, ...entry }) => entry))).slice(0, 10);
}
