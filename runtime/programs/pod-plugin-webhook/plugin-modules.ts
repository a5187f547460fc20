import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { pluginsOfModule } from "../../../sdk/plugins/plugins-of-module.ts";
import type { PodPlugin } from "../../../sdk/plugins/pod-plugin.ts";

/**
 * The plugins of JavaScript modules.
 *
 * @throws Error for a module that cannot be loaded or exports something else
 */
export async function loadPluginModules(files: readonly string[]): Promise<PodPlugin[]> {
  const modules = await Promise.all(
    files.map(async (file) =>
      pluginsOfModule(file, await import(pathToFileURL(resolve(file)).href)),
    ),
  );
  return modules.flat();
}
