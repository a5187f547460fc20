import { builtInPodPlugins } from "./built-in/index.ts";
import type { PodPlugin } from "./pod-plugin.ts";

/** Plugins by name: those of this project and those of a program. */
export type PodPluginRegistry = ReadonlyMap<string, PodPlugin>;

/**
 * The built-in plugins and a program's own.
 *
 * @throws TypeError where two have one name
 */
export function podPluginRegistry(own: readonly PodPlugin[] = []): PodPluginRegistry {
  const registry = new Map<string, PodPlugin>();
  for (const plugin of [...builtInPodPlugins, ...own]) {
    if (registry.has(plugin.name)) {
      throw new TypeError(
        `pod plugin ${JSON.stringify(plugin.name)}: another plugin has this name; ` +
          "allowed: unique names, also among the built-in plugins. Rename the plugin.",
      );
    }
    registry.set(plugin.name, plugin);
  }
  return registry;
}

/** What plugins a spec may use. */
export interface PodPluginSupport {
  readonly registry: PodPluginRegistry;
  /** URLs, or their beginnings up to a `/`, that plugins of type Webhook may call. Undefined: the type is off. */
  readonly webhookUrls?: readonly string[] | undefined;
  /** Whether plugins that are not in the registry are taken for granted: where a spec is read, not planned. */
  readonly acceptsUnknown?: boolean | undefined;
}

/** The built-in plugins and no more. */
export const builtInSupport: PodPluginSupport = { registry: podPluginRegistry() };

/** For readers of a spec that was checked where it was planned, with plugins that they do not have. */
export const anySupport: PodPluginSupport = { ...builtInSupport, acceptsUnknown: true };
