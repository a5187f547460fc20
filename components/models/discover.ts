import {
  type RewriteVersion,
  rewriteVersions,
} from "../../kubernetes/kinds/inference-model-rewrite.ts";
import { type ClusterOfCrds, loadCluster } from "../existing-crds.ts";

/**
 * The best version of InferenceModelRewrite that a cluster serves, for the argument `version` or the stack's
 * `pulumi-inference:rewriteVersion`: `llm-d.ai/v1alpha2`, else `inference.networking.x-k8s.io/v1alpha2`, else
 * `v1alpha1` of the same group.
 *
 * Like `readCrds` it asks the cluster while the program runs, by the kubeconfig that it is given or finds.
 *
 * ```ts
 * // In an ES module; a CommonJS program exports an async function: export = async () => { ... };
 * new InferenceModelRewrite("canary", { version: await discoverRewriteVersion(), poolRef, rules });
 * ```
 *
 * @throws Error where the cluster cannot be reached, and where it serves none
 */
export async function discoverRewriteVersion(cluster: ClusterOfCrds = {}): Promise<RewriteVersion> {
  // Loaded here, since programs without a cluster do without the library and its newer Node.js.
  const { ApiException, CustomObjectsApi } = await import("@kubernetes/client-node");
  const api = (await loadCluster(cluster)).makeApiClient(CustomObjectsApi);
  for (const served of rewriteVersions) {
    const [group = "", version = ""] = served.split("/");
    try {
      const { resources } = await api.getAPIResources({ group, version });
      if (resources.some(({ name }) => name === "inferencemodelrewrites")) return served;
    } catch (error) {
      if (!(error instanceof ApiException && error.code === 404)) throw error;
    }
  }
  throw new Error(
    `InferenceModelRewrite: the cluster serves none of ${rewriteVersions.join(", ")}; install its CRD, with InferenceCrds for example`,
  );
}
