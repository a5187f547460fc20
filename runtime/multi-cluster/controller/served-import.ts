import { ApiError } from "../../../kubernetes/api/api-error.ts";
import type { KubernetesClient } from "../../../kubernetes/api/client.ts";
import { kinds } from "../../../kubernetes/kinds/index.ts";
import { groupVersionPath } from "../../../kubernetes/paths.ts";

interface OpenApi {
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly "x-kubernetes-group-version-kind"?: ReadonlyArray<{ readonly kind: string }>;
}

/**
 * Which InferencePoolImport an API server has: one with the detail of the clusters in its status, or the shipped one.
 * `absent` where the schema is not there, or not yet.
 */
export async function servedImport(
  client: Pick<KubernetesClient, "request">,
  signal: AbortSignal,
): Promise<"superset" | "shipped" | "absent"> {
  const path = `/openapi/v3${groupVersionPath(kinds.InferencePoolImport.apiVersion)}`;
  try {
    const { components } = await client.request<OpenApi>("GET", path, { signal });
    const schema = Object.values(components?.schemas ?? {}).find((each) =>
      each["x-kubernetes-group-version-kind"]?.some(
        ({ kind }) => kind === kinds.InferencePoolImport.kind,
      ),
    );
    if (schema === undefined) return "absent";
    return schema.properties?.status?.properties?.clusters === undefined ? "shipped" : "superset";
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return "absent";
    throw error;
  }
}
