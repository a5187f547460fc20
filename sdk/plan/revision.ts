import { canonicalJson, digest } from "../../kubernetes/values/canonical-json.ts";
import type { InferenceServiceSpec } from "../spec/inference-service.ts";

export { digest };

/**
 * Returns a short hash of the settings that affect pods. It excludes counts (`replicas`, `minReplicas`), so that
 * scaling changes only the objects that it adds, removes or resizes. It also excludes model names and the NetworkPolicy
 * settings, which do not affect pods. A value that is not yet known counts as null.
 */
export function revisionOf(service: InferenceServiceSpec): string {
  const { models: _models, rewrites: _rewrites, networkPolicy: _policy, ...spec } = service;
  const counted = new Set(["replicas", "minReplicas"]);
  const roles = spec.roles.map((role) =>
    Object.fromEntries(Object.entries(role).filter(([field]) => !counted.has(field))),
  );
  return digest(canonicalJson({ ...spec, roles })).slice(0, 10);
}
