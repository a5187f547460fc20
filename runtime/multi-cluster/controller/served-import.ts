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
 * Returns which InferencePoolImport an API server serves: `superset` has the details of the clusters in its status,
 * `shipped` does not. `absent` if the schema is not published, or not yet.
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
