import type { KubernetesClient } from "../../kubernetes/api/client.ts";
import { applyPatchType } from "../../kubernetes/api/patch-types.ts";
import { kinds } from "../../kubernetes/kinds/index.ts";
import { objectPath } from "../../kubernetes/paths.ts";
import type { PreviousSet } from "./rollout.ts";

/**
 * Writes a LeaderWorkerSet as it was before its update, in the name of the field manager that wrote the update, so that
 * the next one conflicts with nothing. The number of replicas stays, because an autoscaler may have changed it.
 */
export async function restoreSet(
  client: KubernetesClient,
  namespace: string,
  name: string,
  { metadata, spec }: PreviousSet,
): Promise<void> {
  const path = objectPath(kinds.LeaderWorkerSet, { namespace, name });
  const live = await client.request<LiveObject>("GET", path);
  const replicas = "replicas" in spec ? { replicas: live.spec.replicas } : {};
  await client.request("PATCH", path, {
    query: { fieldManager: ownerOf(live), force: "true" },
    body: {
      apiVersion: kinds.LeaderWorkerSet.apiVersion,
      kind: "LeaderWorkerSet",
      metadata,
      spec: { ...spec, ...replicas },
    },
    contentType: applyPatchType,
  });
}

/** Returns the field manager that applied the template. Pulumi's Kubernetes provider has one for each resource. */
function ownerOf({ metadata }: LiveObject): string {
  const owner = (metadata.managedFields ?? []).find(
    ({ operation, fieldsV1 }) =>
      operation === "Apply" && fieldsV1?.["f:spec"]?.["f:leaderWorkerTemplate"] !== undefined,
  );
  return owner?.manager ?? "pulumi-inference";
}

interface LiveObject {
  readonly metadata: {
    readonly managedFields?: ReadonlyArray<{
      readonly manager: string;
      readonly operation: string;
      readonly fieldsV1?: { readonly "f:spec"?: Readonly<Record<string, unknown>> };
    }>;
  };
  readonly spec: { readonly replicas?: number };
}
