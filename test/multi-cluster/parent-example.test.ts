import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { loadProject, memoryState, openStack } from "../../engine/index.ts";
import { type AttachedCluster, freshNamespace } from "../../testing/cluster.ts";
import { repositoryRoot } from "../../testing/repository.ts";
import { sharedCluster } from "../../testing/shared-cluster.ts";
import { agentgatewayBackends } from "./agentgateway-backends.fixture.ts";

/** examples/multi-cluster-parent: two namespaces stand for two clusters, since only gateways reach each other. */

let cluster: AttachedCluster;
beforeAll(async () => {
  cluster = await sharedCluster();
}, 120_000);
afterAll(() => cluster?.detach());

const state = memoryState();

async function deploy(name: string, namespace: string, config: Record<string, string> = {}) {
  const folder = join(repositoryRoot, "examples/multi-cluster-parent", name);
  const stack = openStack({
    ...(await loadProject(folder, "test")),
    state,
    kubernetes: { kubeconfig: cluster.kubeconfig },
    config: { namespace, ...config },
  });
  const result = await stack.up();
  return { result, stack };
}

it("exports by annotation, and changes a share by one object", async () => {
  const [east, west] = [
    await freshNamespace(cluster, "east"),
    await freshNamespace(cluster, "west"),
  ];
  await cluster.apply(
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/agentgatewaybackends.agentgateway.dev",
    agentgatewayBackends,
  );
  const exporter = await deploy("exporter", east);
  expect(exporter.result.diagnostics).toEqual([]);
  const pool = await cluster.request<{ metadata: { annotations: Record<string, string> } }>(
    "GET",
    `/apis/inference.networking.k8s.io/v1/namespaces/${east}/inferencepools/qwen-pool`,
  );
  expect(pool.metadata.annotations).toMatchObject({
    "inference.networking.x-k8s.io/export": "ClusterSet",
    "inference.networking.x-k8s.io/export-mode": "ParentMode",
  });

  const importer = await deploy("importer", west);
  expect(importer.result.diagnostics).toEqual([]);
  const weights = async () => {
    const route = await cluster.request<{
      spec: {
        rules: Array<{ backendRefs: Array<{ kind: string; name: string; weight: number }> }>;
      };
    }>("GET", `/apis/gateway.networking.k8s.io/v1/namespaces/${west}/httproutes/qwen-pool-import`);
    return route.spec.rules
      .at(-1)
      ?.backendRefs.map(({ kind, name, weight }) => [kind, name, weight]);
  };
  expect(await weights()).toEqual([
    ["InferencePool", "qwen-pool", 90],
    ["AgentgatewayBackend", "qwen-pool-east", 10],
  ]);
  const changed = await deploy("importer", west, { exportedWeight: "0" });
  const updates = changed.result.steps.filter(
    ({ operation, custom }) => custom && !["same", "read"].includes(operation),
  );
  expect(updates.map(({ operation, name }) => `${operation} ${name}`)).toEqual([
    "update qwen-pool-httproute-import",
  ]);
  expect(await weights()).toEqual([
    ["InferencePool", "qwen-pool", 100],
    ["AgentgatewayBackend", "qwen-pool-east", 0],
  ]);
}, 120_000);
