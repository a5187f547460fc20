import { unlessAbsent } from "../kubernetes/api/api-error.ts";
import { type KubernetesClient, newKubernetesClient } from "../kubernetes/api/client.ts";
import { newKubeConfig } from "../kubernetes/api/client-library.ts";
import { readKubeconfig } from "../kubernetes/api/kubeconfig.ts";
import { unplanned } from "../kubernetes/kinds/unplanned.ts";
import { objectPath } from "../kubernetes/paths.ts";
import { messageOf } from "../kubernetes/values/records.ts";
import { ownCrds } from "../sdk/crds/own-kinds.ts";

/** A CustomResourceDefinition that a cluster has, as far as installing over it is concerned. */
export interface ExistingCrd {
  /** For example `llmservices.inference.x-k8s.io`. */
  readonly name: string;
  readonly labels: Record<string, string>;
  /** For example `["v1alpha1"]`. */
  readonly servedVersions: string[];
}

export interface ReadCrdsOptions {
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
 * @throws Error if the cluster cannot be reached or refuses; an absent definition is left out
 */
export async function readCrds(cluster: ReadCrdsOptions = {}): Promise<ExistingCrd[]> {
  const client = clientOf(cluster);
  const read = async (name: string): Promise<ExistingCrd[]> => {
    try {
      const path = objectPath(unplanned.CustomResourceDefinition, { name });
      const crd = await unlessAbsent(client.request<CustomResourceDefinition>("GET", path));
      if (crd === undefined) return [];
      const served = crd.spec.versions.filter((version) => version.served);
      const servedVersions = served.map((version) => version.name);
      return [{ name, labels: crd.metadata.labels ?? {}, servedVersions }];
    } catch (error) {
      throw new Error(`CustomResourceDefinition ${name}: cannot be read: ${messageOf(error)}`, {
        cause: error,
      });
    }
  };
  try {
    return (await Promise.all(ownCrds().map(({ metadata }) => read(metadata.name)))).flat();
  } finally {
    client.close();
  }
}

interface CustomResourceDefinition {
  readonly metadata: { readonly labels?: Record<string, string> };
  readonly spec: {
    readonly versions: ReadonlyArray<{ readonly name: string; readonly served: boolean }>;
  };
}

/** @throws Error when there is no kubeconfig, or when it does not have the context */
export const clientOf = (cluster: ReadCrdsOptions): KubernetesClient =>
  newKubernetesClient(
    readKubeconfig(newKubeConfig(), {
      ...cluster,
      advice: "pass one, as { kubeconfig, context }",
    }),
    { retries: 3 },
  );
