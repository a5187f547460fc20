import { ownCrds } from "../sdk/crds/own-kinds.ts";

/** A CustomResourceDefinition that a cluster has, as far as installing over it is concerned. */
export interface ExistingCrd {
  /** For example `llmservices.inference.x-k8s.io`. */
  readonly name: string;
  readonly labels: Record<string, string>;
  /** For example `["v1alpha1"]`. */
  readonly servedVersions: string[];
}

export interface ClusterOfCrds {
  /** Path of a kubeconfig, or its text. Default: as kubectl finds it. */
  readonly kubeconfig?: string;
  /** Default: the kubeconfig's current context. */
  readonly context?: string;
}

/**
 * Those of this project's CustomResourceDefinitions that a cluster has, for `InferenceCrds`. Needs `get` on them.
 *
 * It asks the cluster while the program runs, by the kubeconfig that kubectl uses or the one that it is given; the
 * provider of the program's resources has no part in it.
 *
 * ```ts
 * // In an ES module; a CommonJS program exports an async function: export = async () => { ... };
 * new InferenceCrds("crds", { existing: await readCrds({ context: "prod" }) });
 * ```
 *
 * @throws Error where the cluster cannot be reached or refuses; an absent definition is no error
 */
export async function readCrds(cluster: ClusterOfCrds = {}): Promise<ExistingCrd[]> {
  // Loaded here, since programs without a cluster do without the library and its newer Node.js.
  const { ApiException, ApiextensionsV1Api } = await import("@kubernetes/client-node");
  const api = (await loadCluster(cluster)).makeApiClient(ApiextensionsV1Api);
  const read = async (name: string): Promise<ExistingCrd[]> => {
    try {
      const { metadata, spec } = await api.readCustomResourceDefinition({ name });
      const served = spec.versions.filter((version) => version.served);
      const servedVersions = served.map((version) => version.name);
      return [{ name, labels: metadata?.labels ?? {}, servedVersions }];
    } catch (error) {
      if (error instanceof ApiException && error.code === 404) return [];
      throw new Error(`CustomResourceDefinition ${name}: cannot be read: ${messageOf(error)}`, {
        cause: error,
      });
    }
  };
  return (await Promise.all(ownCrds().map(({ metadata }) => read(metadata.name)))).flat();
}

type KubeConfig = import("@kubernetes/client-node").KubeConfig;

/** @throws Error for a context that the kubeconfig does not have */
export async function loadCluster({ kubeconfig, context }: ClusterOfCrds): Promise<KubeConfig> {
  const { KubeConfig } = await import("@kubernetes/client-node");
  const config = new KubeConfig();
  if (kubeconfig === undefined) loadDefault(config);
  else if (isText(kubeconfig)) config.loadFromString(kubeconfig);
  else config.loadFromFile(kubeconfig);
  if (context === undefined) return config;
  if (config.getContextObject(context) === null) {
    const names = config.getContexts().map(({ name }) => name);
    throw new Error(
      `the kubeconfig has no context ${JSON.stringify(context)}; it has ${names.join(", ") || "none"}`,
    );
  }
  config.setCurrentContext(context);
  return config;
}

/** What the client library assumes where it finds no kubeconfig. */
const guessedServer = "http://localhost:8080";

function loadDefault(config: KubeConfig): void {
  config.loadFromDefault();
  if (config.getCurrentCluster()?.server !== guessedServer) return;
  throw new Error(
    "no kubeconfig: neither KUBECONFIG nor ~/.kube/config names a cluster; pass one, as { kubeconfig, context }",
  );
}

const isText = (kubeconfig: string) =>
  kubeconfig.includes("\n") || kubeconfig.trimStart().startsWith("{");

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
