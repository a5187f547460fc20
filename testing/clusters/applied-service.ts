import {
  type InferenceServiceInput,
  type Manifest,
  planInferenceService,
} from "../../sdk/index.ts";
import type { ApiClient } from "../api/api-client.ts";
import { objectPath } from "../object-path.ts";

/** A service whose planned objects are applied by the server, without Pulumi. */
export interface AppliedService {
  /** Applies a plan in its order, and then deletes objects of the previous plan that are not part of it. */
  apply(service: InferenceServiceInput): Promise<void>;
  /** Deletes the objects, the last one first. */
  remove(): Promise<void>;
}

export function appliedService(client: Pick<ApiClient, "apply" | "request">): AppliedService {
  let applied: readonly Manifest[] = [];
  const remove = async (manifests: readonly Manifest[]) => {
    for (const path of manifests.map(objectPath).reverse())
      await client.request("DELETE", `${path}?propagationPolicy=Foreground`);
  };
  return {
    async apply(service) {
      const planned = planInferenceService(service);
      for (const manifest of planned) await client.apply(objectPath(manifest), manifest);
      const paths = new Set(planned.map(objectPath));
      await remove(applied.filter((manifest) => !paths.has(objectPath(manifest))));
      applied = planned;
    },
    remove: () => remove(applied),
  };
}
