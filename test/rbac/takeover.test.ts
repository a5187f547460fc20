import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Method } from "../../kubernetes/api/client.ts";
import { mergePatchType } from "../../kubernetes/api/patch-types.ts";
import type { Manifest } from "../../sdk/index.ts";
import { planControllers } from "../../sdk/plan/controllers/controllers.ts";
import { planClusterSetMember } from "../../sdk/plan/multi-cluster/cluster-set.ts";
import { ControllersSpec } from "../../sdk/spec/controllers.ts";
import { parseKind } from "../../sdk/validate/spec-kind.ts";
import { clusterSetMemberSpecKind } from "../../sdk/validate/spec-kinds.ts";
import { type ApiClient, connect } from "../../testing/api/api-client.ts";
import { startCluster } from "../../testing/api/api-server.ts";
import { type Cluster, freshNamespace } from "../../testing/api/cluster.ts";
import { objectPath } from "../../testing/object-path.ts";

/**
 * Permissions of an attacker who has taken over a program: its ServiceAccount, with the planned roles and policies, at
 * a real API server. Findings B2 of the security review. The tests also cover the writes that the program needs.
 */

let cluster: Cluster;
let namespace: string;
const clients: ApiClient[] = [];

beforeAll(async () => {
  cluster = await startCluster();
  namespace = await freshNamespace(cluster);
}, 120_000);
afterAll(() => {
  for (const client of clients) client.close();
  return cluster?.stop();
});

/** Applies the objects with a program's identity and permissions, and returns a client of its account. */
async function takeOver(plan: readonly Manifest[], account: string): Promise<ApiClient> {
  const identity = [
    "ServiceAccount",
    "Role",
    "RoleBinding",
    "ClusterRole",
    "ClusterRoleBinding",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "MutatingWebhookConfiguration",
  ];
  for (const manifest of plan)
    if (identity.includes(manifest.kind)) await cluster.apply(objectPath(manifest), manifest);
  const { status } = await cluster.request<{ status: { token: string } }>(
    "POST",
    `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`,
    { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} },
  );
  const client = connect({ ...cluster, token: status.token });
  clients.push(client);
  return client;
}

/** "allowed", or why not. */
const tried = (client: ApiClient, method: Method, path: string, body?: object, type?: string) =>
  client.request(method, path, body, type).then(
    () => "allowed",
    (error: Error) => error.message,
  );

const refused = /forbidden|denied|cannot/i;

/** A policy takes effect some moments after it is made; until then the attack is only rehearsed. */
const onceGuarded = (attack: (query: string) => Promise<string>) =>
  expect.poll(() => attack("?dryRun=All"), { timeout: 30_000, interval: 200 }).toMatch(refused);

const pod = (name: string, labels: object) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, labels },
  spec: {
    automountServiceAccountToken: false,
    containers: [{ name: "c", image: "registry.example/c:1" }],
  },
});

describe("the status controller that recycles pods", () => {
  let controller: ApiClient;
  const pods = () => `/api/v1/namespaces/${namespace}/pods`;
  const labels = (componentType: string) => ({
    "fusioninfer.io/service": "svc",
    "fusioninfer.io/component-type": componentType,
  });

  beforeAll(async () => {
    const metadata = { name: "c", namespace, labels: {}, annotations: {} };
    const spec = ControllersSpec.parse({ recyclesPods: true });
    controller = await takeOver(planControllers({ metadata, spec }), "inference-status-controller");
    await cluster
      .request("POST", `/api/v1/namespaces/${namespace}/serviceaccounts`, {
        metadata: { name: "default" },
      })
      .catch(() => {});
  });

  const remove = async (name: string, query = "") =>
    tried(controller, "DELETE", `${pods()}/${name}${query}`);

  it.each(["prefiller", "decoder"])("deletes a %s of a service", async (type) => {
    await cluster.request("POST", pods(), pod(`pair-${type}`, labels(type)));
    expect(await remove(`pair-${type}`)).toBe("allowed");
  });

  it.each<[string, object]>([
    ["of nobody's service", {}],
    ["with the label of a service alone", { "fusioninfer.io/service": "svc" }],
    ["of a component type alone", { "fusioninfer.io/component-type": "decoder" }],
    ["that serves whole requests", labels("worker")],
  ])("deletes no pod %s", async (what, given) => {
    const name = what.replaceAll(/[^a-z]+/g, "-");
    await cluster.request("POST", pods(), pod(name, given));
    await onceGuarded((query) => remove(name, query));
    expect(await remove(name)).toMatch(/only pods with the label/);
    expect(await cluster.request("GET", `${pods()}/${name}`)).toMatchObject({ metadata: { name } });
  });
});

describe("B2: the webhook for pod plugins", () => {
  let webhook: ApiClient;
  const configuration =
    "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/pulumi-inference-pod-plugins";
  const system = "/api/v1/namespaces/kube-system";

  beforeAll(async () => {
    const metadata = { name: "c", namespace, labels: {}, annotations: {} };
    const spec = ControllersSpec.parse({ podPlugins: {} });
    webhook = await takeOver(
      planControllers({ metadata, spec }).filter(
        ({ metadata: { name } }) => !name.includes("status-controller"),
      ),
      "inference-pod-plugin-webhook",
    );
    await cluster
      .request("POST", `/api/v1/namespaces/${namespace}/serviceaccounts`, {
        metadata: { name: "default" },
      })
      .catch(() => {});
    await cluster
      .request("POST", `${system}/serviceaccounts`, { metadata: { name: "default" } })
      .catch(() => {});
    await cluster.request("POST", `${system}/pods`, pod("core", {}));
    await cluster.request(
      "POST",
      `/api/v1/namespaces/${namespace}/pods`,
      pod("engine", { "pulumi-inference/pod-plugins": "Ready" }),
    );
  });

  it("can only set the ready-hooks annotation on a pod with plugins", async () => {
    const path = `/api/v1/namespaces/${namespace}/pods/engine/status`;
    const note = (annotations: object, more: object = {}, query = "") =>
      tried(
        webhook,
        "PATCH",
        `${path}${query}`,
        { metadata: { annotations }, ...more },
        mergePatchType,
      );
    const ready = { "pulumi-inference/ready-hooks": "2026-01-01T00:00:00Z" };
    await onceGuarded((query) => note({ other: "x" }, {}, query));
    expect(await note(ready)).toBe("allowed");
    expect(await note({ "pulumi-inference/ready-hooks": "2026-01-02T00:00:00Z" })).toBe("allowed");
    expect(await note(ready, { status: { phase: "Failed" } })).toMatch(refused);
    expect(
      await tried(
        webhook,
        "PATCH",
        path,
        { metadata: { labels: { app: "other" } } },
        mergePatchType,
      ),
    ).toMatch(refused);
  });

  it("cannot change other workloads' pods, nor the image of any pod", async () => {
    const image = { spec: { containers: [{ name: "c", image: "registry.example/evil:1" }] } };
    const strategic = "application/strategic-merge-patch+json";
    for (const path of [`${system}/pods/core`, `/api/v1/namespaces/${namespace}/pods/engine`]) {
      expect(await tried(webhook, "PATCH", path, image, strategic)).toMatch(refused);
      await tried(webhook, "PATCH", `${path}/status`, image, strategic);
      expect(JSON.stringify(await cluster.request("GET", path))).not.toContain("evil");
    }
    const note = { metadata: { annotations: { "pulumi-inference/ready-hooks": "x" } } };
    await onceGuarded((query) =>
      tried(webhook, "PATCH", `${system}/pods/core/status${query}`, note, mergePatchType),
    );
  });

  it("cannot read ConfigMaps, such as the one that lists administrators", async () => {
    for (const path of [
      `${system}/configmaps/aws-auth`,
      `${system}/configmaps`,
      "/api/v1/configmaps",
    ])
      expect(await tried(webhook, "GET", path)).toMatch(refused);
  });

  it("keeps its bundle in its configuration, and cannot widen it", async () => {
    type Configuration = { webhooks: Array<{ clientConfig: Record<string, unknown> }> };
    const { webhooks } = await cluster.request<Configuration>("GET", configuration);
    const write = (changed: readonly object[], metadata: object = {}, query = "") =>
      tried(
        webhook,
        "PATCH",
        `${configuration}${query}`,
        { webhooks: changed, metadata },
        mergePatchType,
      );
    const everything = {
      apiGroups: ["*"],
      apiVersions: ["*"],
      operations: ["*"],
      resources: ["*/*"],
      scope: "*",
    };
    await onceGuarded((query) =>
      write(
        webhooks.map((each) => ({ ...each, rules: [everything] })),
        {},
        query,
      ),
    );
    for (const changed of [
      webhooks.map((each) => ({ ...each, objectSelector: {} })),
      webhooks.map((each) => ({ ...each, timeoutSeconds: 30 })),
      webhooks.map((each) => ({
        ...each,
        matchConditions: [{ name: "never", expression: "false" }],
      })),
      webhooks.map((each) => ({ ...each, clientConfig: { url: "https://evil.example/" } })),
      webhooks.slice(1),
    ])
      expect(await write(changed)).toMatch(refused);
    expect(await write(webhooks, { labels: { a: "b" } })).toMatch(refused);
    const caBundle = Buffer.from(
      "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
    ).toString("base64");
    const bundled = webhooks.map((each) => ({
      ...each,
      clientConfig: { ...each.clientConfig, caBundle },
    }));
    // The policy allows the write, even if the API server refuses the certificate.
    expect(await write(bundled)).not.toMatch(refused);
  });

  it("can create its certificate, but no token of another account", async () => {
    const secrets = `/api/v1/namespaces/${namespace}/secrets`;
    const secret = (name: string, type: string, annotations = {}) => ({
      metadata: { name, annotations },
      type,
      stringData: type === "kubernetes.io/tls" ? { "tls.crt": "c", "tls.key": "k" } : {},
    });
    const own = "inference-pod-plugin-webhook-tls";
    const token = secret(own, "kubernetes.io/service-account-token", {
      "kubernetes.io/service-account.name": "default",
    });
    await onceGuarded((query) => tried(webhook, "POST", `${secrets}${query}`, token));
    expect(await tried(webhook, "POST", secrets, secret("other", "kubernetes.io/tls"))).toMatch(
      refused,
    );
    expect(await tried(webhook, "POST", secrets, secret(own, "kubernetes.io/tls"))).toBe("allowed");
  });

  it("cannot delete the admission policies that restrict it", async () => {
    const policies = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
    const path = `${policies}/inference-pod-plugin-webhook-pods`;
    expect(await tried(webhook, "DELETE", path)).toMatch(refused);
    const bindings = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings";
    expect(await tried(webhook, "DELETE", `${bindings}/inference-pod-plugin-webhook-pods`)).toMatch(
      refused,
    );
  });
});

describe("B2: the controller of a cluster set, in a member", () => {
  const system = "/api/v1/namespaces/kube-system/configmaps";
  let controller: ApiClient;

  beforeAll(async () => {
    controller = await takeOver(
      planClusterSetMember(
        parseKind(clusterSetMemberSpecKind, { metadata: { name: "m", namespace }, spec: {} }),
      ),
      "inference-multi-cluster-controller",
    );
    await cluster.request("POST", system, {
      metadata: { name: "aws-auth" },
      data: { mapRoles: "[]" },
    });
  });

  it("cannot read or write ConfigMaps, such as the one that lists administrators", async () => {
    const path = `${system}/aws-auth`;
    const masters = { data: { mapRoles: "[{groups: [system:masters]}]" } };
    for (const each of [path, system, "/api/v1/configmaps"])
      expect(await tried(controller, "GET", each)).toMatch(refused);
    expect(await tried(controller, "PATCH", path, masters, mergePatchType)).toMatch(refused);
    expect(await tried(controller, "DELETE", path)).toMatch(refused);
    for (const place of [system, `/api/v1/namespaces/${namespace}/configmaps`])
      expect(
        await tried(controller, "POST", place, { metadata: { name: "pool-clusters" } }),
      ).toMatch(refused);
    expect(await cluster.request("GET", path)).toMatchObject({ data: { mapRoles: "[]" } });
  });

  it("cannot read Secrets or extend its own rights", async () => {
    for (const each of [
      "/api/v1/secrets",
      `/api/v1/namespaces/${namespace}/secrets/inference-multi-cluster-controller-token`,
    ])
      expect(await tried(controller, "GET", each)).toMatch(refused);
    const roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
    const all = [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }];
    expect(
      await tried(
        controller,
        "PATCH",
        `${roles}/inference-multi-cluster-controller`,
        { rules: all },
        mergePatchType,
      ),
    ).toMatch(refused);
  });
});
