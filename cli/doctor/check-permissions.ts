import { type Finding, hidden } from "./finding.ts";
import type { ClusterObservation } from "./observation.ts";

/** Resources that a service consists of, which the caller must be able to create. */
export const createdResources = [
  { group: "leaderworkerset.x-k8s.io", resource: "leaderworkersets" },
  { group: "scheduling.volcano.sh", resource: "podgroups" },
  { group: "inference.networking.k8s.io", resource: "inferencepools" },
  { group: "gateway.networking.k8s.io", resource: "httproutes" },
] as const;

export function checkPermissions({ mayCreate, namespace }: ClusterObservation): Finding[] {
  const check = "permissions";
  const resources = createdResources.map(({ resource }) => resource);
  const unseen = resources
    .map((resource) => mayCreate[resource])
    .find((seen) => seen?.state === "hidden");
  if (unseen?.state === "hidden") return [hidden(check, "what you may create", unseen)];
  const denied = resources.filter((resource) => {
    const seen = mayCreate[resource];
    return seen?.state === "seen" && !seen.value;
  });
  if (denied.length === 0) {
    return [{ check, level: "ok", title: `you may create services in namespace ${namespace}` }];
  }
  return [
    {
      check,
      level: "warning",
      title: `you may not create ${denied.join(", ")} in namespace ${namespace}`,
      seen: "the API server says so; who deploys services needs it",
      mend: `kubectl auth can-i create ${denied[0]} -n ${namespace} --as <who deploys>`,
    },
  ];
}
