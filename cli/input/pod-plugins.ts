import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { pluginsOfModule } from "../../sdk/plugins/plugins-of-module.ts";
import { type PodPluginSupport, podPluginRegistry } from "../../sdk/plugins/registry.ts";
import { UsageError } from "../exit-code.ts";

/** Pod plugins that documents may use, in addition to the built-in ones. */
export interface PodPluginOptions {
  /** Modules whose default export is a list of plugins. */
  pluginModules?: string[];
  /** URLs that plugins of type Webhook may call. */
  webhookPluginUrls?: string[];
}

/** @throws UsageError for a module that cannot be loaded, has another export, or uses an existing name */
export async function readPodPlugins(options: PodPluginOptions): Promise<PodPluginSupport> {
  const { pluginModules = [], webhookPluginUrls } = options;
  try {
    const modules = await Promise.all(
      pluginModules.map(async (file) =>
        pluginsOfModule(file, await import(pathToFileURL(resolve(file)).href)),
      ),
    );
    return { registry: podPluginRegistry(modules.flat()), webhookUrls: webhookPluginUrls };
  } catch (error) {
    throw new UsageError(`--plugin-modules: ${(error as Error).message}`);
  }
}
