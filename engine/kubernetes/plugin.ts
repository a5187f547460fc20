import type { PropertyMap } from "../property-value.ts";
import type { Provider, ProviderPlugin } from "../provider.ts";
import { ApiClient } from "./api-client.ts";
import { KubernetesProvider } from "./provider.ts";
import { type ClusterChoice, checkConfig, diffConfig, readSettings } from "./provider-config.ts";

export interface KubernetesPluginOptions {
  /** Cluster of providers that select none. */
  cluster?: ClusterChoice | undefined;
  /** Maximum number of concurrent requests to one API server. */
  parallel: number;
  /** Whether there is no cluster, regardless of the providers' configuration. */
  offline: boolean;
}

/** The package `kubernetes`. Providers with the same configuration share connections. */
export function kubernetesPlugin({
  cluster,
  parallel,
  offline,
}: KubernetesPluginOptions): ProviderPlugin & Disposable {
  const clients = new Map<string, ApiClient>();
  return {
    checkConfig: ({ inputs }) => checkConfig(inputs),
    diffConfig: ({ oldInputs, newInputs }) => diffConfig(oldInputs, newInputs),
    configure({ inputs }: { inputs: PropertyMap }): Provider {
      const settings = offline
        ? readSettings(withoutCluster(inputs), undefined)
        : readSettings(inputs, cluster);
      const config = settings.cluster;
      if (config === undefined) return new KubernetesProvider({ settings, client: undefined });
      const key = JSON.stringify([config.getCurrentCluster(), config.getCurrentUser()]);
      const client = clients.get(key) ?? new ApiClient(config, parallel);
      clients.set(key, client);
      return new KubernetesProvider({ settings, client });
    },
    [Symbol.dispose]() {
      for (const client of clients.values()) client.close();
    },
  };
}

const withoutCluster = (inputs: PropertyMap): PropertyMap =>
  Object.fromEntries(
    Object.entries(inputs).filter(([key]) => !["kubeconfig", "context", "cluster"].includes(key)),
  );
