import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { accountKubeconfig } from "../../testing/api/account-kubeconfig.ts";
import { startCluster } from "../../testing/api/api-server.ts";
import type { Cluster } from "../../testing/api/cluster.ts";
import { crdsWithOwn } from "../../testing/api/install-crds.ts";
import { openStack, stateFolder } from "../../testing/programs/pulumi-stack.ts";
import { worker } from "../../testing/samples/sample-service.ts";
import { InferenceService, type InferenceServiceArgs } from "../index.ts";
import { readClusterNodes } from "./cluster-nodes.ts";

/** Warnings of a preview about the nodes of a real API server. */

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ crds: await crdsWithOwn() });
}, 120_000);
afterAll(() => cluster?.stop());

/** Replaces the nodes of the cluster by nodes with these GPUs; undefined is a node without labels. */
async function setNodes(...gpus: Array<string | undefined>): Promise<void> {
  await cluster.request("DELETE", "/api/v1/nodes");
  for (const [at, gpu] of gpus.entries()) {
    const metadata = { name: `n${at}`, labels: gpu ? { "nvidia.com/gpu.product": gpu } : {} };
    const status = {
      allocatable: { "nvidia.com/gpu": "8", cpu: "96", memory: "900Gi", pods: "110" },
      capacity: { "nvidia.com/gpu": "8", cpu: "96", memory: "900Gi", pods: "110" },
      conditions: [{ type: "Ready", status: "True" }],
    };
    await cluster.request("POST", "/api/v1/nodes", { metadata, status });
  }
}

async function messagesOf(args: object, choice: object = {}): Promise<string[]> {
  const { kubeconfig } = cluster;
  const { succeeded, diagnostics } = await openStack({
    project: "p",
    stack: "s",
    state: stateFolder(),
    kubernetes: { kubeconfig },
    ...choice,
    program: {
      run: async () => void new InferenceService("qwen", args as InferenceServiceArgs),
    },
  }).preview();
  expect(succeeded, JSON.stringify(diagnostics)).toBe(true);
  return diagnostics.map(({ severity, message }) => `${severity}: ${message}`);
}

const l40s = { accelerator: "l40s", roles: [worker({ replicas: 3 })] };

it.each<[what: string, args: object, nodes: Array<string | undefined>, expected: unknown[]]>([
  ["nodes with the accelerator", l40s, ["Tesla-T4", "NVIDIA-L40S"], []],
  ["no accelerator", { roles: [worker()] }, [undefined], []],
  ["any node", { ...l40s, nodes: { any: true } }, [undefined], []],
  [
    "nodes without labels, once for all replicas",
    { ...l40s, workload: "perReplica" },
    [undefined],
    [
      expect.stringMatching(
        /^warning: InferenceService "qwen": role inference: no node has a label that names its accelerator, .*kubectl label node NODE nvidia.com\/gpu.product=NVIDIA-L40S/,
      ),
    ],
  ],
  [
    "nodes with another accelerator",
    l40s,
    ["Tesla-T4", "Tesla-T4"],
    [expect.stringContaining("role inference: no node has a label of L40S; there are 2 with T4.")],
  ],
])("a preview with %s prints its warnings", async (_, args, nodes, expected) => {
  await setNodes(...nodes);
  expect(await messagesOf(args)).toEqual(expected);
});

it("a preview without a cluster reads no nodes", async () => {
  await setNodes(undefined);
  expect(await messagesOf(l40s, { kubernetes: undefined })).toEqual([]);
});

/** Returns a kubeconfig of a stand-in that answers each request with a status and a body, or never. */
async function standIn(status: number, body: string | undefined) {
  const server = createServer((_, response) => {
    response.statusCode = status;
    if (body !== undefined) response.end(body);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    kubeconfig: JSON.stringify({
      clusters: [{ name: "c", cluster: { server: url, "insecure-skip-tls-verify": true } }],
      users: [{ name: "u", user: {} }],
      contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
      "current-context": "c",
    }),
    [Symbol.dispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

it.each<[what: string, status: number, body: string | undefined]>([
  ["refuses", 403, "{}"],
  ["sends no list", 200, "{}"],
  ["sends nodes of another shape", 200, JSON.stringify({ items: [{ metadata: { name: 1 } }] })],
  ["sends no JSON", 200, "<html>"],
  ["never answers", 200, undefined],
])(
  "a stand-in of an API server that %s has no nodes that could fit",
  async (_, status, body) => {
    using server = await standIn(status, body);
    await expect(readClusterNodes(server)).rejects.toThrow();
  },
  20_000,
);

it("a preview whose account may not read nodes reports the reason", async () => {
  const metadata = { name: "planner" };
  const account = { ...metadata, namespace: "default" };
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  await cluster.request("POST", "/api/v1/namespaces/default/serviceaccounts", { metadata });
  await cluster.request("POST", `${rbac}/clusterroles`, {
    metadata,
    rules: [
      {
        apiGroups: ["leaderworkerset.x-k8s.io", "networking.k8s.io", "policy"],
        resources: ["*"],
        verbs: ["*"],
      },
    ],
  });
  await cluster.request("POST", `${rbac}/clusterrolebindings`, {
    metadata,
    subjects: [{ kind: "ServiceAccount", ...account }],
    roleRef: { kind: "ClusterRole", apiGroup: "rbac.authorization.k8s.io", ...metadata },
  });
  const folder = mkdtempSync(join(tmpdir(), "planner-"));
  const { kubeconfig } = cluster;
  const own = await accountKubeconfig({ kubeconfig, namespace: "default", folder }, "planner");
  expect(await messagesOf(l40s, { kubernetes: { kubeconfig: own } })).toEqual([
    expect.stringMatching(
      /^info: InferenceService "qwen": the nodes of the cluster cannot be read \(.*nodes is forbidden.*\), so it is not known whether a node accepts the pods/,
    ),
  ]);
  rmSync(folder, { recursive: true });
});
