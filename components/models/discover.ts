import { unlessAbsent } from "../../kubernetes/api/api-error.ts";
import {
  inferenceModelRewrite,
  type RewriteVersion,
  rewriteVersions,
} from "../../kubernetes/kinds/inference-model-rewrite.ts";
import { groupVersionPath } from "../../kubernetes/paths.ts";
import { clientOf, type ReadCrdsOptions } from "../crds/existing-crds.ts";

/**
 * Returns the preferred version of InferenceModelRewrite among the versions that a cluster serves: `llm-d.ai/v1alpha2`,
 * else `inference.networking.x-k8s.io/v1alpha2`, else `v1alpha1` of the same group. Use it for the argument `version`
 * or the stack configuration `pulumi-inference:rewriteVersion`.
 *
 * Like `readCrds`, it connects to the cluster while the program runs, with the given kubeconfig or the one that kubectl
 * would use.
 *
 * ```ts
 * // In an ES module; a CommonJS program exports an async function: export = async () => { ... };
 * new InferenceModelRewrite("canary", { version: await discoverRewriteVersion(), poolRef, rules });
 * ```
 *
 * @throws Error if the cluster cannot be reached or serves no version
 */
export async function discoverRewriteVersion(
  cluster: ReadCrdsOptions = {},
): Promise<RewriteVersion> {
  const client = clientOf(cluster);
  try {
    for (const served of rewriteVersions) {
      const list = await unlessAbsent(
        client.request<ApiResourceList>("GET", groupVersionPath(served)),
      );
      if (list?.resources.some(({ name }) => name === inferenceModelRewrite.plural)) return served;
    }
  } finally {
    client.close();
  }
  throw new Error(
    `InferenceModelRewrite: the cluster serves none of ${rewriteVersions.join(", ")}; install its CRD, for example with InferenceCrds`,
  );
}

interface ApiResourceList {
  readonly resources: ReadonlyArray<{ readonly name: string }>;
}
