import { KubeConfig } from "@kubernetes/client-node";
import { type KubernetesClient, newKubernetesClient } from "../../kubernetes/api/client.ts";
import type { Cluster } from "../../testing/api/cluster.ts";

/** A rule of a Role. */
export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

export interface Permitted {
  readonly client: KubernetesClient;
  /** The token of the ServiceAccount that the client acts as. */
  readonly token: string;
}

/** A client of a new ServiceAccount, with these rules in its namespace, those in the whole cluster, and no others. */
export async function clientWith(
  cluster: Cluster,
  namespace: string,
  name: string,
  rules: { readonly namespaced: readonly Rule[]; readonly clusterWide: readonly Rule[] },
): Promise<Permitted> {
  const group = "rbac.authorization.k8s.io";
  const rbac = `/apis/${group}/v1`;
  const metadata = { name };
  const subjects = [{ kind: "ServiceAccount", name, namespace }];
  const own = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  const create = (path: string, body: object) => cluster.request("POST", path, body);
  const grant = async (path: string, kind: string, granted: readonly Rule[]) => {
    await create(`${path}/${kind.toLowerCase()}s`, { kind, metadata, rules: granted });
    const roleRef = { apiGroup: group, kind, name };
    await create(`${path}/${kind.toLowerCase()}bindings`, {
      ...{ kind: `${kind}Binding`, metadata, subjects, roleRef },
    });
  };
  await create(own, { metadata });
  await grant(`${rbac}/namespaces/${namespace}`, "Role", rules.namespaced);
  await grant(rbac, "ClusterRole", rules.clusterWide);
  const { status } = await cluster.request<{ status: { token: string } }>(
    "POST",
    `${own}/${name}/token`,
    { spec: {} },
  );
  return { client: newKubernetesClient(configOf(cluster, status.token)), token: status.token };
}

function configOf(cluster: Cluster, token: string): KubeConfig {
  const admin = new KubeConfig();
  admin.loadFromFile(cluster.kubeconfig);
  const { name = "", server = "", caFile, caData } = admin.getCurrentCluster() ?? {};
  const config = new KubeConfig();
  config.loadFromClusterAndUser(
    { name, server, skipTLSVerify: false, ...(caFile && { caFile }), ...(caData && { caData }) },
    { name: "tested", token },
  );
  return config;
}

/** Yields copies of the rules, each without one verb of one resource of one group. */
export function* withoutOneVerb(
  rules: readonly Rule[],
): Generator<[removed: string, rules: Rule[]]> {
  const single = rules.flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) => verbs.map((verb) => ({ group, resource, verb }))),
    ),
  );
  for (const removed of single) {
    const { group, resource, verb } = removed;
    yield [
      `${verb} ${resource}${group === "" ? "" : `.${group}`}`,
      single
        .filter((each) => each !== removed)
        .map((each) => ({
          apiGroups: [each.group],
          resources: [each.resource],
          verbs: [each.verb],
        })),
    ];
  }
}
