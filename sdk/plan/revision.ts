import { canonicalJson, digest } from "../../kubernetes/values/canonical-json.ts";
import type { InferenceServiceSpec } from "../spec/inference-service.ts";

export { digest };

/**
 * A short hash of what a service runs. Counts (`replicas`, `minReplicas`) are left out, so that scaling
 * touches only the objects that it adds, removes or resizes, and so are
 * model names and who may open connections, which no pod runs by. Values
 * not known yet count as null.
 */
export function revisionOf(service: InferenceServiceSpec): string {
  const { models: _models, rewrites: _rewrites, networkPolicy: _policy, ...spec } = service;
  const counted = new Set(["replicas", "minReplicas"]);
  const roles = spec.roles.map((role) =>
    Object.fromEntries(Object.entries(role).filter(([field]) => !counted.has(field))),
  );
  return digest(canonicalJson({ ...spec, roles })).slice(0, 10);
}
