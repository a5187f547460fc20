import { KubeConfig } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type KubernetesClient, newKubernetesClient } from "../../kubernetes/api/client.ts";
import { mergePatchType } from "../../kubernetes/api/patch-types.ts";
import { LeaderElection } from "../../kubernetes/control/leader-election.ts";
import { KubernetesSource } from "../../runtime/epp/sources/kubernetes-source.ts";
import { accessReview } from "../../runtime/manager/pages/access-review.ts";
import { annotation } from "../../sdk/names.ts";
import {
  endpointPickerRules,
  leaseRules,
  llmServiceRules,
  metricsAuthRules,
} from "../../sdk/plan/programs/rbac-rules.ts";
import { startCluster } from "../../testing/api/api-server.ts";
import { type Cluster, freshNamespace } from "../../testing/api/cluster.ts";
import { upstreamCrds } from "../../testing/api/upstream-crds.ts";

/** The permissions that the plan grants to the picker are sufficient, and none is superfluous. */

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

const extraGroups = ["llm-d.ai", "inference.networking.x-k8s.io"];
const extraKinds = ["InferenceObjective", "InferenceModelRewrite"];
const serviceGroup = "inference.x-k8s.io";
const name = "picker";

let cluster: Cluster;
let namespace: string;
/** The namespace of a team whose LLMServices may use the pool. */
let team: string;
let attempt = 0;

beforeAll(async () => {
  cluster = await startCluster({ crds: await upstreamCrds(["inference.networking.k8s.io"]) });
  await Promise.all([
    ...extraGroups.flatMap((group) =>
      extraKinds.map((kind) => installLooseCrd(group, "v1alpha2", kind)),
    ),
    installLooseCrd(serviceGroup, "v1alpha1", "LLMService"),
  ]);
  namespace = await freshNamespace(cluster);
  team = await freshNamespace(cluster);
  await create(`/api/v1/namespaces/${namespace}/serviceaccounts`, {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name },
  });
  await create(`/apis/inference.networking.k8s.io/v1/namespaces/${namespace}/inferencepools`, {
    apiVersion: "inference.networking.k8s.io/v1",
    kind: "InferencePool",
    metadata: {
      name: "pool",
      annotations: { [annotation.allowedNamespaces]: team },
    },
    spec: {
      selector: { matchLabels: { app: "m" } },
      targetPorts: [{ number: 8000 }],
      endpointPickerRef: { name: "epp", port: { number: 9002 } },
    },
  });
}, 180_000);
afterAll(() => cluster?.stop());

const create = (path: string, body: object) => cluster.request("POST", path, body);

/** A CRD that accepts any object: the picker's parsing is not tested here. */
async function installLooseCrd(group: string, version: string, kind: string): Promise<void> {
  const plural = `${kind.toLowerCase()}s`;
  await create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: `${plural}.${group}`,
      annotations: { "api-approved.kubernetes.io": "unapproved, test" },
    },
    spec: {
      group,
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      scope: "Namespaced",
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
          },
        },
      ],
    },
  });
}

interface Permitted {
  readonly client: KubernetesClient;
  /** The token of the ServiceAccount that the client acts as. */
  readonly token: string;
}

/**
 * A client of a ServiceAccount, with these rules and no others: in the pool's namespace, in the whole cluster and in
 * the team's namespace.
 */
async function clientWith(
  rules: readonly Rule[],
  clusterRules: readonly Rule[],
  teamRules: readonly Rule[] = llmServiceRules,
): Promise<Permitted> {
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  const apiVersion = "rbac.authorization.k8s.io/v1";
  attempt += 1;
  const role = `picker-${attempt}`;
  const subjects = [{ kind: "ServiceAccount", name: `${name}-${attempt}`, namespace }];
  await create(`/api/v1/namespaces/${namespace}/serviceaccounts`, {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: `${name}-${attempt}` },
  });
  const roleRef = (kind: string) => ({ apiGroup: "rbac.authorization.k8s.io", kind, name: role });
  const metadata = { name: role };
  for (const [place, granted] of [
    [namespace, [...rules, ...leaseRules(`lease-${attempt}`)]],
    [team, teamRules],
  ] as const) {
    await create(`${rbac}/namespaces/${place}/roles`, {
      apiVersion,
      kind: "Role",
      metadata,
      rules: granted,
    });
    await create(`${rbac}/namespaces/${place}/rolebindings`, {
      apiVersion,
      kind: "RoleBinding",
      metadata,
      subjects,
      roleRef: roleRef("Role"),
    });
  }
  await create(`${rbac}/clusterroles`, {
    apiVersion,
    kind: "ClusterRole",
    metadata,
    rules: clusterRules,
  });
  await create(`${rbac}/clusterrolebindings`, {
    apiVersion,
    kind: "ClusterRoleBinding",
    metadata,
    subjects,
    roleRef: roleRef("ClusterRole"),
  });
  const { status } = await cluster.request<{ status: { token: string } }>(
    "POST",
    `/api/v1/namespaces/${namespace}/serviceaccounts/${name}-${attempt}/token`,
    { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} },
  );
  const admin = new KubeConfig();
  admin.loadFromFile(cluster.kubeconfig);
  const config = new KubeConfig();
  const { name: clusterName = "", server = "", caFile, caData } = admin.getCurrentCluster() ?? {};
  config.loadFromClusterAndUser(
    {
      name: clusterName,
      server,
      skipTLSVerify: false,
      ...(caFile && { caFile }),
      ...(caData && { caData }),
    },
    { name: "picker", token: status.token },
  );
  return { client: newKubernetesClient(config), token: status.token };
}

/** Everything that a picker asks an API server. Returns the first refusal, or "works". */
async function exercise({ client, token }: Permitted): Promise<string> {
  const refused = Promise.withResolvers<string>();
  const onProblem = (_key: string, message: string) => {
    // A server whose CRDs are new answers "try again" now and then.
    if (/forbidden/i.test(message)) refused.resolve(message);
  };
  const source = new KubernetesSource({ client, namespace, pool: { name: "pool" }, onProblem });
  const election = new LeaderElection({
    client,
    namespace,
    name: `lease-${attempt}`,
    identity: "me",
    timing: { retryMs: 20 },
    onProblem: (message) => onProblem("lease", message),
  });
  try {
    return await Promise.race([refused.promise, useAll(client, token, source, election)]);
  } finally {
    await Promise.all([source.stop(), election.release()]);
    client.close();
  }
}

async function useAll(
  client: KubernetesClient,
  token: string,
  source: KubernetesSource,
  election: LeaderElection,
): Promise<string> {
  const seen = new Set<string>();
  source.start(({ pods, objectives, rewrites, services, pool }) => {
    for (const each of [...pods, ...objectives, ...rewrites]) seen.add(each.name);
    for (const each of services) seen.add(`${each.namespace}/${each.name}`);
    if (pool !== undefined) seen.add(`port ${pool.targetPorts[0]}`);
  });
  election.start();
  const reviews = accessReview(
    { create: (path, body) => client.request("POST", path, { body }) },
    () => 0,
  );
  const refusal = await reviews.review(token, "/metrics", "127.0.0.1").then(
    () => undefined,
    (error: Error) => error.message,
  );
  if (refusal !== undefined) return refusal;
  await until(() => source.synced() && election.isLeader());
  // Only watches see objects that are created after the lists.
  const made = `made-${attempt}`;
  await makeObjects(made);
  await until(() =>
    [
      made,
      `${namespace}/${made}`,
      `${team}/${made}`,
      ...extraGroups.flatMap((group) => extraKinds.map((kind) => objectName(made, group, kind))),
      `port ${8000 + attempt}`,
    ].every((each) => seen.has(each)),
  );
  // The holder of a lease writes it once more when it releases it.
  await election.release();
  return "works";
}

const objectName = (made: string, group: string, kind: string) =>
  `${made}-${kind.toLowerCase()}-${group}`;

async function makeObjects(made: string): Promise<void> {
  await create(`/api/v1/namespaces/${namespace}/pods`, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: made, labels: { app: "m" } },
    spec: {
      containers: [{ name: "c", image: "i" }],
      automountServiceAccountToken: false,
      serviceAccountName: name,
    },
  });
  for (const group of extraGroups)
    for (const kind of extraKinds)
      await create(`/apis/${group}/v1alpha2/namespaces/${namespace}/${kind.toLowerCase()}s`, {
        apiVersion: `${group}/v1alpha2`,
        kind,
        metadata: { name: objectName(made, group, kind) },
        spec: { poolRef: { name: "pool" }, rules: [], priority: 1 },
      });
  for (const place of [namespace, team])
    await create(`/apis/${serviceGroup}/v1alpha1/namespaces/${place}/llmservices`, {
      apiVersion: `${serviceGroup}/v1alpha1`,
      kind: "LLMService",
      metadata: { name: made },
      spec: { models: [{ name: "m" }], poolRef: [{ name: "pool", namespace }] },
    });
  await cluster.request(
    "PATCH",
    `/apis/inference.networking.k8s.io/v1/namespaces/${namespace}/inferencepools/pool`,
    { spec: { targetPorts: [{ number: 8000 + attempt }] } },
    mergePatchType,
  );
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Yields copies of the rules, each without one verb of one resource of one group. */
function* withoutOneVerb(rules: readonly Rule[]): Generator<[removed: string, rules: Rule[]]> {
  for (const rule of rules)
    for (const group of rule.apiGroups)
      for (const resource of rule.resources)
        for (const verb of rule.verbs) {
          const single = rules.flatMap(({ apiGroups, resources, verbs }) =>
            apiGroups.flatMap((g) =>
              resources.map((r) => ({ apiGroups: [g], resources: [r], verbs })),
            ),
          );
          yield [
            `${verb} ${resource}${group === "" ? "" : `.${group}`}`,
            single
              .map((each) =>
                each.apiGroups[0] === group && each.resources[0] === resource
                  ? { ...each, verbs: each.verbs.filter((other) => other !== verb) }
                  : each,
              )
              .filter(({ verbs }) => verbs.length > 0),
          ];
        }
}

it("works with the planned roles", async () => {
  expect(await exercise(await clientWith(endpointPickerRules, metricsAuthRules))).toBe("works");
});

describe("does not work without", () => {
  it.each([...withoutOneVerb(endpointPickerRules)])("%s", async (_, rules) => {
    expect(await exercise(await clientWith(rules, metricsAuthRules))).toMatch(/forbidden/i);
  });

  it.each([...withoutOneVerb(llmServiceRules)])("%s of an admitted namespace", async (_, rules) => {
    const permitted = await clientWith(endpointPickerRules, metricsAuthRules, rules);
    expect(await exercise(permitted)).toMatch(/forbidden/i);
  });

  it.each([...withoutOneVerb(metricsAuthRules)])("%s of the cluster", async (_, rules) => {
    expect(await exercise(await clientWith(endpointPickerRules, rules))).toMatch(/forbidden/i);
  });
});

it("is ready without the LLMServices of a namespace that does not let it in", async () => {
  const { client } = await clientWith(endpointPickerRules, metricsAuthRules, []);
  const problems: string[] = [];
  const source = new KubernetesSource({
    client,
    namespace,
    pool: { name: "pool" },
    onProblem: (key, message) => problems.push(`${key}: ${message}`),
  });
  const places = new Set<string>();
  try {
    source.start(({ services }) => {
      for (const each of services) places.add(each.namespace);
    });
    await until(() => source.synced());
    expect([...places]).toEqual([namespace]);
    expect(problems).toEqual([
      expect.stringMatching(
        new RegExp(`^/apis/.*/namespaces/${team}/llmservices: .*forbidden`, "i"),
      ),
    ]);
  } finally {
    await source.stop();
    client.close();
  }
});
