import { builtInPodPlugins } from "./built-in/index.ts";
import type { PodPlugin } from "./pod-plugin.ts";

/** Plugins by name: the built-in plugins and the plugins of the program. */
export type PodPluginRegistry = ReadonlyMap<string, PodPlugin>;

/**
 * Returns the built-in plugins and the program's plugins by name.
 *
 * @throws TypeError if two plugins have the same name
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

/** Plugins that a spec may use. */
export interface PodPluginSupport {
  readonly registry: PodPluginRegistry;
  /**
   * URLs that plugins of type Webhook may call. A URL that ends in `/` allows all paths below it. Undefined: the type
   * is disabled.
   */
  readonly webhookUrls?: readonly string[] | undefined;
  /** Whether plugins that are not in the registry are accepted, for specs that are only read and not planned. */
  readonly acceptsUnknown?: boolean | undefined;
}

/** Support for the built-in plugins only. */
export const builtInSupport: PodPluginSupport = { registry: podPluginRegistry() };

/** Support for any plugin, for readers of a spec that was validated when it was planned. */
export const anySupport: PodPluginSupport = { ...builtInSupport, acceptsUnknown: true };
