import { unlessAbsent } from "../../kubernetes/api/api-error.ts";
import { type KubernetesClient, newKubernetesClient } from "../../kubernetes/api/client.ts";
import { newKubeConfig } from "../../kubernetes/api/client-library.ts";
import { readKubeconfig } from "../../kubernetes/api/kubeconfig.ts";
import { unplanned } from "../../kubernetes/kinds/unplanned.ts";
import { objectPath } from "../../kubernetes/paths.ts";
import { messageOf } from "../../kubernetes/values/records.ts";
import { ownCrds } from "../../sdk/crds/own-kinds.ts";

/** CustomResourceDefinition of a cluster, with the properties that decide whether it may be overwritten. */
export interface ExistingCrd {
  /** Name, such as `llmservices.inference.x-k8s.io`. */
  readonly name: string;
  /** Labels, by key. */
  readonly labels: Record<string, string>;
  /** Served versions, such as `["v1alpha1"]`. */
  readonly servedVersions: string[];
}

export interface ReadCrdsOptions {
  /** Path of a kubeconfig, or its text. Default: the kubeconfig that kubectl would use. */
  readonly kubeconfig?: string;
  /** Context in the kubeconfig. Default: its current context. */
  readonly context?: string;
}

/**
 * Returns this project's CustomResourceDefinitions that exist in a cluster, for `InferenceCrds`. Needs the permission
 * `get` on them.
 *
 * It connects to the cluster while the program runs, with the given kubeconfig or the one that kubectl would use. It
 * does not use the provider of the program's resources.
 *
 * ```ts
 * // In an ES module; a CommonJS program exports an async function: export = async () => { ... };
 * new InferenceCrds("crds", { existing: await readCrds({ context: "prod" }) });
 * ```
 *
 * @throws Error if the cluster cannot be reached or denies access. Missing definitions are left out.
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

/** @throws Error if there is no kubeconfig, or if it does not contain the context */
export const clientOf = (cluster: ReadCrdsOptions): KubernetesClient =>
  newKubernetesClient(
    readKubeconfig(newKubeConfig(), {
      ...cluster,
      advice: "pass one, as { kubeconfig, context }",
    }),
    { retries: 3 },
  );
