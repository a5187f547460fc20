import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { PodPlugin } from "../../sdk/plugins/pod-plugin.ts";

/**
 * Plugins of modules whose default export is a list of them, made by `definePodPlugin`.
 *
 * @throws Error for a module that cannot be loaded or exports something else
 */
export async function loadPluginModules(files: readonly string[]): Promise<PodPlugin[]> {
  const modules = await Promise.all(
    files.map(async (file) => {
      const { default: plugins } = (await import(pathToFileURL(resolve(file)).href)) as {
        default?: unknown;
      };
      if (!Array.isArray(plugins) || !plugins.every(isPlugin)) {
        throw new Error(
          `${file}: the default export is no list of plugins; export default [plugin]`,
        );
      }
      return plugins;
    }),
  );
  return modules.flat();
}

const isPlugin = (value: unknown): value is PodPlugin =>
  typeof value === "object" && value !== null && "name" in value && "config" in value;
