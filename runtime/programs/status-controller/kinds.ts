/** What the status controller reads, as group, version and plural. */
export const kinds = {
  inferenceServices: "fusioninfer.io/v1alpha1/inferenceservices",
  llmServices: "inference.x-k8s.io/v1alpha1/llmservices",
  llmServerPools: "inference.x-k8s.io/v1alpha1/llmserverpools",
  inferencePools: "inference.networking.k8s.io/v1/inferencepools",
  pods: "v1/pods",
  events: "v1/events",
  leaderWorkerSets: "leaderworkerset.x-k8s.io/v1/leaderworkersets",
  deployments: "apps/v1/deployments",
  podGroups: "scheduling.volcano.sh/v1beta1/podgroups",
  httpRoutes: "gateway.networking.k8s.io/v1/httproutes",
} as const;

/** Where rewrites are served: of two with an object of one name pickers read the first. */
export const rewriteKinds = [
  "llm-d.ai/v1alpha2/inferencemodelrewrites",
  "inference.networking.x-k8s.io/v1alpha2/inferencemodelrewrites",
  "inference.networking.x-k8s.io/v1alpha1/inferencemodelrewrites",
] as const;

export type RewriteKind = (typeof rewriteKinds)[number];

/** API group of InferencePools. */
export const poolGroup = "inference.networking.k8s.io";

/** Path of the status of an object. */
export function statusPath(kind: string, namespace: string, name: string): string {
  const [group, version, plural] = kind.split("/");
  return `/apis/${group}/${version}/namespaces/${namespace}/${plural}/${name}/status`;
}
