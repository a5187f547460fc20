import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import OpenAI from "openai";
import { afterAll, beforeAll, expect, it } from "vitest";
import { endpointPickerConfig } from "../../sdk/plan/picker/endpoint-picker-config.ts";
import { waitingOf } from "../../sdk/plan/picker/flow-control.ts";
import { endpointPickerRules } from "../../sdk/plan/programs/rbac-rules.ts";
import { FlowControl } from "../../sdk/spec/flow-control.ts";
import { accountKubeconfig } from "../../testing/api/account-kubeconfig.ts";
import { type AttachedCluster, freshNamespace } from "../../testing/api/cluster.ts";
import { sharedCluster } from "../../testing/clusters/shared-cluster.ts";
import { startEnvoy } from "../../testing/envoy/start.ts";
import { startModelServer } from "../../testing/model-server/model-server.ts";
import { startPicker } from "../../testing/pods/picker-process.ts";
import { poolRoute } from "./stack.ts";

/** Two pickers of one pool on a real API server, each with its part of the model server's slots. */

let cluster: AttachedCluster;
let namespace: string;
const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-replicas-"));
const cleanUps: Array<() => Promise<unknown>> = [];

/** Requests that the server works on at once, and the slots that it has at first. */
const slots = 8;
/** On a busy machine programs start late, and requests wait for long. */
const patience = 240_000;
const flowControl = FlowControl.parse({ requestTimeoutSeconds: patience / 1_000 });

beforeAll(async () => {
  cluster = await sharedCluster();
  namespace = await freshNamespace(cluster, "replicas");
}, patience);
afterAll(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  cluster?.detach();
  rmSync(folder, { recursive: true, force: true });
});

const path = (plural: string, group = "/api/v1") => `${group}/namespaces/${namespace}/${plural}`;
const create = (at: string, body: object) => cluster.request("POST", at, body);
const rbac = "/apis/rbac.authorization.k8s.io/v1";

async function createPod(name: string, labels: object, podIP: string): Promise<void> {
  await create(path("pods"), {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels },
    spec: { containers: [{ name: "c", image: "i" }], nodeName: "node" },
  });
  const conditions = [{ type: "Ready", status: "True" }];
  const status = { phase: "Running", podIP, podIPs: [{ ip: podIP }], conditions };
  await cluster.request(
    "PATCH",
    `${path("pods")}/${name}/status`,
    { status },
    "application/merge-patch+json",
  );
}

/** The ServiceAccount of a picker, with the planned rights. */
async function account(): Promise<string> {
  const metadata = { name: "picker" };
  await create(path("serviceaccounts"), { apiVersion: "v1", kind: "ServiceAccount", metadata });
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const rules = endpointPickerRules;
  await create(path("roles", rbac), { apiVersion, kind: "Role", metadata, rules });
  await create(path("rolebindings", rbac), {
    ...{ apiVersion, kind: "RoleBinding", metadata },
    subjects: [{ kind: "ServiceAccount", name: "picker", namespace }],
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "picker" },
  });
  const { kubeconfig } = cluster;
  return accountKubeconfig({ kubeconfig, namespace, folder }, "picker");
}

it(
  "two pickers together send no more requests than one, and after one ends the other sends all of them",
  async () => {
    const server = await startModelServer({
      ...{
        ip: `127.${200 + (process.pid % 50)}.7.1`,
        stepMs: 20,
        maxSequences: slots,
        anyModel: true,
      },
    });
    cleanUps.push(() => server.stop());
    const pool = {
      apiVersion: "inference.networking.k8s.io/v1",
      kind: "InferencePool",
      metadata: { name: "pool", namespace },
      spec: {
        selector: { matchLabels: { app: "m" } },
        targetPorts: [{ number: server.port }],
        endpointPickerRef: { name: "pool-epp", port: { number: 9002 } },
      },
    };
    await create(path("inferencepools", "/apis/inference.networking.k8s.io/v1"), pool);
    await createPod("server", { app: "m" }, server.ip);
    const KUBECONFIG = await account();
    const config = endpointPickerConfig("prefix-cache", waitingOf({ flowControl }, "generic"));
    const names = ["pool-epp-a-1", "pool-epp-b-2"];
    for (const name of names)
      await createPod(name, { app: "pool-epp", "pod-template-hash": name }, "10.0.0.1");
    const pickers = await Promise.all(
      names.map((POD_NAME) =>
        startPicker({
          args: [
            ...["--pool-name=pool", `--pool-namespace=${namespace}`, "--secure-serving=false"],
            ...["--metrics-endpoint-auth=false", "--drain-timeout=0s"],
            `--config-text=${JSON.stringify(config)}`,
          ],
          env: { KUBECONFIG, NAMESPACE: namespace, POD_NAME },
        }),
      ),
    );
    cleanUps.push(() => Promise.all(pickers.map((picker) => picker.stop())));
    const flows = async (at: number) => {
      const port = pickers[at]?.ports.metrics;
      const page = await fetch(`http://127.0.0.1:${port}/debug/flows`);
      return (await page.json()) as { pickers: number; endpoints: unknown[] };
    };
    const known = async (at: number) => {
      const { pickers, endpoints } = await flows(at);
      return [pickers, endpoints.length];
    };
    for (const at of [0, 1])
      await expect.poll(() => known(at), { timeout: patience }).toEqual([2, 1]);

    const envoy = await startEnvoy({
      httpRoutes: [{ ...poolRoute, metadata: { name: "route", namespace } }],
      pools: [
        {
          ...{ pool, picker: `127.0.0.1:${pickers[0]?.ports.grpc}`, tls: false },
          replicas: pickers.map(({ ports }) => ({
            address: `127.0.0.1:${ports.grpc}`,
            healthPort: ports.health,
          })),
        },
      ],
    });
    cleanUps.push(() => envoy.stop());
    const client = new OpenAI({ baseURL: `${envoy.url}/v1`, apiKey: "-", maxRetries: 0 });
    const ask = () => client.completions.create({ model: "m", prompt: "Hello.", max_tokens: 50 });
    await ask();
    let most = 0;
    const looking = setInterval(() => {
      most = Math.max(most, server.running);
    }, 1);
    // All at once: neither can see what the other sends.
    await Promise.all(Array.from({ length: 6 * slots }, ask));
    clearInterval(looking);
    // Each uses half of the other's part as long as it sees no use of it.
    expect(most).toBeLessThan(2 * slots);

    await cluster.request("DELETE", `${path("pods")}/${names[1]}?gracePeriodSeconds=0`);
    await expect.poll(() => known(0), { timeout: patience }).toEqual([1, 1]);
  },
  patience,
);
