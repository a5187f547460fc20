import type { ApiClient } from "../../testing/api/api-client.ts";

const collections = {
  "apis/leaderworkerset.x-k8s.io/v1": ["leaderworkersets"],
  "apis/scheduling.volcano.sh/v1beta1": ["podgroups"],
  "apis/inference.networking.k8s.io/v1": ["inferencepools"],
  "apis/gateway.networking.k8s.io/v1": ["httproutes", "gateways"],
  "apis/apps/v1": ["deployments"],
  "apis/policy/v1": ["poddisruptionbudgets"],
  "apis/rbac.authorization.k8s.io/v1": ["roles", "rolebindings"],
  "api/v1": ["configmaps", "services", "serviceaccounts"],
};

/** Objects that Kubernetes creates in every namespace. */
const given = /^(configmaps\/kube-root-ca\.crt|serviceaccounts\/default)$/;

/** `kind/name` of every object of the kinds that plans make, sorted. */
export async function objectsOf(
  cluster: Pick<ApiClient, "request">,
  namespace: string,
): Promise<string[]> {
  const lists = Object.entries(collections).flatMap(([group, plurals]) =>
    plurals.map(async (plural) => {
      const path = `/${group}/namespaces/${namespace}/${plural}`;
      const { items } = await cluster.request<{ items: Array<{ metadata: { name: string } }> }>(
        "GET",
        path,
      );
      return items.map(({ metadata }) => `${plural}/${metadata.name}`);
    }),
  );
  return (await Promise.all(lists))
    .flat()
    .filter((name) => !given.test(name))
    .sort();
}
