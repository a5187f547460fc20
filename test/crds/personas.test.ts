import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { parse } from "yaml";
import type { PolicyRule } from "../../kubernetes/kinds/policy-rule.ts";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { personaRoles } from "../../sdk/crds/personas.ts";
import { planInferenceService } from "../../sdk/plan/inference-service.ts";
import { planLLMServerPool } from "../../sdk/plan/pools/pool.ts";
import { fromManifest } from "../../sdk/spec/inference-service-manifest.ts";
import { parseKind } from "../../sdk/validate/spec-kind.ts";
import { llmServerPoolSpecKind } from "../../sdk/validate/spec-kinds.ts";
import { type ApiClient, connect } from "../../testing/api/api-client.ts";
import { type AttachedCluster, freshNamespace } from "../../testing/api/cluster.ts";
import { installOwnCrds } from "../../testing/api/install-crds.ts";
import { sharedCluster } from "../../testing/clusters/shared-cluster.ts";
import { objectPath } from "../../testing/object-path.ts";

/** The permissions of each persona in a namespace, and their limits, checked by a real API server. */

let cluster: AttachedCluster;
let namespace: string;
const clients: ApiClient[] = [];

const rbac = "rbac.authorization.k8s.io";
const create = (path: string, body: object) => cluster.request("POST", path, body);

beforeAll(async () => {
  cluster = await sharedCluster();
  await installOwnCrds(cluster);
  namespace = await freshNamespace(cluster, "personas");
}, 60_000);
afterAll(() => {
  for (const client of clients) client.close();
  cluster?.detach();
});

/** A client with the role of a persona, in the test's namespace or, with `everywhere`, in all namespaces. */
async function as(persona: string, everywhere = false): Promise<ApiClient> {
  const role = personaRoles().find(({ metadata }) => metadata.name === persona);
  // A second attempt of a test needs other names.
  const name = `${namespace}-${clients.length}`;
  const apiVersion = `${rbac}/v1`;
  await create(`/apis/${apiVersion}/clusterroles`, { ...role, metadata: { name } });
  await create(`/api/v1/namespaces/${namespace}/serviceaccounts`, {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name },
  });
  const place = everywhere ? "clusterrolebindings" : `namespaces/${namespace}/rolebindings`;
  await create(`/apis/${apiVersion}/${place}`, {
    apiVersion,
    kind: everywhere ? "ClusterRoleBinding" : "RoleBinding",
    metadata: { name },
    subjects: [{ kind: "ServiceAccount", name, namespace }],
    roleRef: { apiGroup: rbac, kind: "ClusterRole", name },
  });
  const { status } = await cluster.request<{ status: { token: string } }>(
    "POST",
    `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
    { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} },
  );
  const client = connect({ ...cluster, token: status.token });
  clients.push(client);
  // The authorizer learns of a binding by a watch.
  const review = { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectRulesReview" };
  const granted = async () => {
    const { status } = await client.request<{ status: { resourceRules: PolicyRule[] } }>(
      "POST",
      "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
      { ...review, spec: { namespace } },
    );
    return status.resourceRules;
  };
  await vi.waitFor(
    async () => expect(await granted()).toEqual(expect.arrayContaining([...(role?.rules ?? [])])),
    { timeout: 20_000 },
  );
  return client;
}

const llmService = () => ({
  apiVersion: "inference.x-k8s.io/v1alpha1",
  kind: "LLMService",
  metadata: { name: "bots", namespace },
  spec: { models: [{ name: "npc-bot" }], poolRef: [{ name: "llama" }] },
});

const pool = (metricsAuth: boolean) =>
  planLLMServerPool(
    parseKind(llmServerPoolSpecKind, {
      metadata: { name: "llama", namespace },
      spec: { modelServerSelector: { app: "llama" }, endpointPicker: { metricsAuth } },
    }),
  );

function service(): Manifest[] {
  const file = join(import.meta.dirname, "../fixtures/stories/story-2.yaml");
  const input = fromManifest(parse(readFileSync(file, "utf8")));
  return planInferenceService(
    { ...input, metadata: { ...input.metadata, namespace } },
    { statusObject: "full" },
  );
}

describe("inference-platform-admin", () => {
  let admin: ApiClient;
  beforeAll(async () => {
    admin = await as("inference-platform-admin");
  });

  it("can create every planned object in a namespace", async () => {
    for (const manifest of [...pool(false), ...service(), llmService()])
      await admin.apply(objectPath(manifest), manifest);
  });

  it("can create a picker's cluster-wide objects if bound in the whole cluster", async () => {
    const everywhere = await as("inference-platform-admin", true);
    for (const manifest of pool(true)) await everywhere.apply(objectPath(manifest), manifest);
  });

  it("cannot read Secrets", async () => {
    const path = `/api/v1/namespaces/${namespace}/secrets`;
    await expect(admin.request("GET", path)).rejects.toMatchObject({ status: 403 });
  });
});

describe("llm-service-owner", () => {
  let owner: ApiClient;
  beforeAll(async () => {
    owner = await as("llm-service-owner");
  });

  it("can create LLMServices and InferenceModelRewrites", async () => {
    await owner.apply(objectPath(llmService()), llmService());
    const apiVersion = "inference.networking.x-k8s.io/v1alpha1";
    const spec = { poolRef: { name: "llama" }, rules: [{ split: [{ modelRewrite: "a" }] }] };
    const rewrite = { apiVersion, kind: "InferenceModelRewrite", spec };
    const metadata = { name: "canary", namespace };
    await owner.apply(objectPath({ ...rewrite, metadata }), { ...rewrite, metadata });
  });

  it("can read pools but not create them", async () => {
    for (const [group, plural] of [
      ["inference.x-k8s.io/v1alpha1", "llmserverpools"],
      ["inference.networking.k8s.io/v1", "inferencepools"],
    ]) {
      const path = `/apis/${group}/namespaces/${namespace}/${plural}`;
      await expect(owner.request("GET", path)).resolves.toBeDefined();
      await expect(owner.request("POST", path, {})).rejects.toMatchObject({ status: 403 });
    }
  });

  it("gets 403 in another namespace", async () => {
    const path = "/apis/inference.x-k8s.io/v1alpha1/namespaces/default/llmservices";
    await expect(owner.request("GET", path)).rejects.toMatchObject({ status: 403 });
  });
});

it.each(personaRoles().map((role) => [role.metadata.name, role]))(
  "%s cannot write a status, and has no wildcard",
  (_name, { rules }) => {
    for (const { apiGroups, resources, verbs } of rules) {
      expect([...apiGroups, ...resources, ...verbs]).not.toContain("*");
      expect(resources.filter((resource) => resource.endsWith("/status"))).toEqual([]);
    }
  },
);
