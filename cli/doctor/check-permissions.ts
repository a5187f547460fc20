import { kinds } from "../../kubernetes/kinds/index.ts";
import { type CheckResult, forbidden, ok, warning } from "./check-result.ts";
import type { ClusterObservation } from "./observation.ts";

/** Resources of a service, which the caller must be able to create. */
export const createdResources = [
  kinds.LeaderWorkerSet,
  kinds.PodGroup,
  kinds.InferencePool,
  kinds.HTTPRoute,
] as const;

export function checkPermissions({ mayCreate, namespace }: ClusterObservation): CheckResult[] {
  const check = "permissions";
  const resources = createdResources.map(({ plural }) => plural);
  const unseen = resources
    .map((resource) => mayCreate[resource])
    .find((seen) => seen?.state === "forbidden");
  if (unseen?.state === "forbidden") return [forbidden(check, "your permissions", unseen)];
  const denied = resources.filter((resource) => {
    const seen = mayCreate[resource];
    return seen?.state === "seen" && !seen.value;
  });
  if (denied.length === 0) {
    return [ok(check, `you may create services in namespace ${namespace}`)];
  }
  return [
    warning(check, {
      title: `you may not create ${denied.join(", ")} in namespace ${namespace}`,
      seen: "the user who deploys services needs this permission",
      fix: `kubectl auth can-i create ${denied[0]} -n ${namespace} --as USER`,
    }),
  ];
}
