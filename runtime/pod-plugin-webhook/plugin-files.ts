import { PluginsFile, pluginsFileKey } from "../../sdk/plugins/plugins-file.ts";
import { label, pluginsConfigName } from "../../sdk/topology/names.ts";
import { Collection } from "../controllers/collection.ts";
import { ApiError } from "../kubernetes/api-error.ts";
import type { KubernetesClient } from "../kubernetes/client.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { describe, type Log } from "../process/log.ts";

export interface PluginFilesOptions {
  readonly client: Pick<KubernetesClient, "request" | "watch">;
  readonly namespaces: readonly string[] | undefined;
  readonly log: Log;
}

/** The plugins of workloads that run in the cluster, from their ConfigMaps. */
export class PluginFiles {
  readonly #options: PluginFilesOptions;
  readonly #files: Collection<PluginsFile>;

  constructor(options: PluginFilesOptions) {
    this.#options = options;
    const { client, namespaces, log } = options;
    this.#files = new Collection<PluginsFile>({
      client,
      namespaces,
      kind: "v1/configmaps",
      query: { labelSelector: `${label.podPlugins}=Config` },
      read: (object) => this.#read(object),
      onChange: () => {},
      onStale: () => {},
      onProblem: (problem) => log.warn("not read", { problem }),
    });
  }

  start(): void {
    this.#files.start();
  }

  stop(): Promise<void> {
    return this.#files.stop();
  }

  get settled(): boolean {
    return this.#files.settled;
  }

  /** A ConfigMap that was made a moment ago may not have been seen yet: it is asked for. */
  async of(namespace: string, workload: string): Promise<PluginsFile | undefined> {
    const name = pluginsConfigName(workload);
    const seen = this.#files.get(`${namespace}/${name}`);
    if (seen !== undefined) return seen;
    try {
      const path = `/api/v1/namespaces/${namespace}/configmaps/${name}`;
      const object = await this.#options.client.request<KubernetesObject>("GET", path);
      // Anybody's ConfigMap may have the name; the label says that it is meant.
      return object.metadata.labels?.[label.podPlugins] === "Config"
        ? this.#read(object)
        : undefined;
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    }
  }

  #read(object: KubernetesObject): PluginsFile | undefined {
    const { data } = object as KubernetesObject & { data?: Record<string, string> };
    try {
      const file = PluginsFile.parse(JSON.parse(data?.[pluginsFileKey] ?? ""));
      const { namespace } = object.metadata;
      return file.workload.metadata.namespace === namespace ? file : undefined;
    } catch (error) {
      const { namespace, name } = object.metadata;
      this.#options.log.warn("plugins not readable", {
        configMap: `${namespace}/${name}`,
        error: describe(error),
      });
      return undefined;
    }
  }
}
