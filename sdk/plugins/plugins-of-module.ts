import type { PodPlugin } from "./pod-plugin.ts";

/**
 * Returns the plugins of a module. Its default export must be a list of plugins created by `definePodPlugin`.
 *
 * @param file its name, for messages
 * @throws TypeError if the module exports something else
 */
export function pluginsOfModule(file: string, module: { default?: unknown }): PodPlugin[] {
  const { default: plugins } = module;
  if (Array.isArray(plugins) && plugins.every(isPlugin)) return plugins;
  throw new TypeError(
    `${file}: the default export is not a list of pod plugins; allowed: plugins that definePodPlugin returns. ` +
      "Write export default [plugin].",
  );
}

const isPlugin = (value: unknown): value is PodPlugin =>
  typeof value === "object" && value !== null && "name" in value && "config" in value;
