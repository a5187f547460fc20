import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type OpenAI from "openai";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { mergePatchType } from "../../kubernetes/api/patch-types.ts";
import { selfSignedCertificate } from "../../runtime/manager/tls/self-signed.ts";
import { accountKubeconfig } from "../../testing/api/account-kubeconfig.ts";
import type { Cluster } from "../../testing/api/api-server.ts";
import { installCrd } from "../../testing/api/install-crds.ts";
import {
  giveCertificates,
  startClusterSet,
  startSetController,
  type TestClusterSet,
} from "../../testing/clusters/cluster-set.ts";
import { freePorts } from "../../testing/processes/free-ports.ts";
import { runtimeBundle } from "../../testing/processes/runtime-bundle.ts";
import { startServer } from "../../testing/processes/server-process.ts";
import { type Stoppable, stopAll } from "../../testing/processes/stop-all.ts";
import { openStack, stateFolder } from "../../testing/programs/pulumi-stack.ts";
import { repositoryRoot } from "../../testing/repository.ts";
import { succeeded } from "../../testing/succeeded.ts";
import { type LiveTraffic, startLiveTraffic } from "../../testing/traffic/live-traffic.ts";
import { agentgatewayBackends } from "./agentgateway-backends.fixture.ts";

/**
 * The examples of several clusters, whole: their programs on three API servers, the controller and the agent with the
 * arguments and permissions of their Deployments, gateways, pickers and model servers; requests by OpenAI's client.
 */

const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-examples-"));
const running: Stoppable[] = [];
let set: TestClusterSet;

beforeAll(async () => {
  set = await startClusterSet({
    members: ["east", "west"],
    folder,
    namespaces: ["inference-system"],
  });
  await installCrd(member("west"), agentgatewayBackends);
}, 180_000);
afterEach(async () => {
  await stopAll(running);
});
afterAll(async () => {
  await set?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const member = (name: string) => set.members.get(name) as Cluster;

const ask = (client: OpenAI) =>
  client.completions.create({ model: "base", prompt: "Hello.", max_tokens: 1 });

/** Sends requests continuously, one after the other. */
function steadily(ask: () => Promise<unknown>) {
  let asked = 0;
  let isOver = false;
  const failures: unknown[] = [];
  const asking = (async () => {
    for (; !isOver; asked += 1) await ask().catch((error) => failures.push(error));
  })();
  return {
    more: (requests: number) => {
      const wanted = asked + requests;
      return eventually(() => expect(asked).toBeGreaterThanOrEqual(wanted));
    },
    async failures() {
      isOver = true;
      await asking;
      return failures;
    },
  };
}

async function eventually(check: () => Promise<void> | void): Promise<void> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

it("multi-cluster-endpoint serves requests in their own cluster, or in another cluster while the own one cannot", async () => {
  await giveCertificates(set, {
    hostname: "qwen-epp.default.svc",
    secret: "qwen-picker",
    configMap: "picker-authorities",
  });
  const directory = join(repositoryRoot, "examples/multi-cluster-endpoint");
  const stack = openStack({
    ...{ stack: "test", program: { dir: directory }, config: { kubeconfig: set.kubeconfig } },
  });
  const up = succeeded(await stack.up());
  running.push(await startSetController(set, "inference-system", join(folder, "controller")));

  const traffic = new Map<string, LiveTraffic>();
  for (const [name, { kubeconfig }] of set.members) {
    await eventually(async () => {
      const { items } = await (set.members.get(name) as (typeof set)["hub"]).request<{
        items: Array<{ status: { podIP?: string } }>;
      }>(
        "GET",
        "/api/v1/namespaces/default/pods?labelSelector=fusioninfer.io/component-type=worker",
      );
      expect(items.filter(({ status }) => status.podIP !== undefined).length).toBe(2);
    });
    const place = { kubeconfig, namespace: "default", folder: join(folder, name) };
    const live = await startLiveTraffic({
      ...place,
      serverOf: () => ({ stepMs: 1, anyModel: true }),
    });
    running.push(live);
    traffic.set(name, live);
  }
  const [east, west] = ["east", "west"].map((name) => traffic.get(name)) as [
    LiveTraffic,
    LiveTraffic,
  ];
  for (const { client } of [east, west]) await eventually(async () => void (await ask(client)));

  const before = { east: east.servedCount(), west: west.servedCount() };
  for (let sent = 0; sent < 20; sent += 1) await ask(east.client);
  expect(east.servedCount() - before.east).toBe(20);
  expect(west.servedCount() - before.west).toBe(0);

  // Its pods leave and return while its picker stays: no request is lost, including running ones.
  const answers = steadily(() => ask(east.client));
  await east.setReady(false);
  await eventually(() => expect(west.servedCount() - before.west).toBeGreaterThanOrEqual(20));
  const atHome = east.servedCount();
  await answers.more(20);
  expect(east.servedCount()).toBe(atHome);
  await east.setReady(true);
  await eventually(() => expect(east.servedCount()).toBeGreaterThan(atHome));
  expect(await answers.failures()).toEqual([]);

  const moved = west.servedCount();
  await east.cutOff();
  await eventually(async () => void (await ask(east.client)));
  for (let sent = 0; sent < 20; sent += 1) await ask(east.client);
  expect(west.servedCount() - moved).toBeGreaterThanOrEqual(21);

  await east.restore();
  await eventually(async () => {
    await ask(east.client);
    expect(east.servedCount()).toBeGreaterThan(0);
  });

  expect((await stack.up()).summary).toEqual({ same: up.steps.length });
  expect((await stack.destroy()).diagnostics).toEqual([]);
}, 180_000);

/**
 * Programs of examples/multi-cluster-parent. The gateway in west represents agentgateway: the test reads the objects
 * that the agent writes for it.
 */
const state = stateFolder();
const hostname = "qwen.east.example";

async function deploy(name: string, kubeconfig: string, config: Record<string, string> = {}) {
  const dir = join(repositoryRoot, "examples/multi-cluster-parent", name);
  const stack = openStack({
    ...{ stack: "test", program: { dir }, state, kubernetes: { kubeconfig }, config },
  });
  return succeeded(await stack.up());
}

const gatewayApi = "/apis/gateway.networking.k8s.io/v1/namespaces/default";

/** STAND-IN for a gateway's controller: writes the status of the exporter's Gateway and route. */
async function gatewayIsProgrammed({ request }: Cluster): Promise<void> {
  interface Listed {
    readonly items: ReadonlyArray<{ readonly metadata: { readonly name: string } }>;
  }
  const condition = (type: string) => ({
    ...{ type, status: "True", reason: type, message: "" },
    lastTransitionTime: new Date().toISOString(),
  });
  const nameOf = async (plural: string) =>
    (await request<Listed>("GET", `${gatewayApi}/${plural}`)).items[0]?.metadata.name ?? "";
  const [gateway, route] = [await nameOf("gateways"), await nameOf("httproutes")];
  const { spec } = await request<{ spec: { parentRefs: object[] } }>(
    "GET",
    `${gatewayApi}/httproutes/${route}`,
  );
  const says = (path: string, status: object) =>
    request("PATCH", `${gatewayApi}/${path}/status`, { status }, mergePatchType);
  await says(`gateways/${gateway}`, {
    addresses: [{ type: "IPAddress", value: "127.0.0.1" }],
    conditions: [condition("Programmed")],
  });
  await says(`httproutes/${route}`, {
    parents: [
      {
        parentRef: spec.parentRefs[0],
        controllerName: "example.com/gateway",
        conditions: [condition("Accepted")],
      },
    ],
  });
}

/** The agent of the importer as its Deployment starts it. */
async function startAgent(caFile: string) {
  const { kubeconfig, request } = member("west");
  const name = "qwen-pool-parents-agent";
  const { spec } = await request<{
    spec: { template: { spec: { containers: [{ args: string[] }] } } };
  }>("GET", `/apis/apps/v1/namespaces/default/deployments/${name}`);
  const account = { kubeconfig, namespace: "default", folder };
  const agent = startServer("parents-agent", "env", [
    `KUBECONFIG=${await accountKubeconfig(account, name)}`,
    ...[process.execPath, await runtimeBundle()],
    ...spec.template.spec.containers[0].args.map((arg) =>
      arg.startsWith("--parent-ca-file=") ? `--parent-ca-file=${caFile}` : arg,
    ),
    ...["--remote-allow-loopback", "--import-failback-delay=1s"],
  ]);
  running.push(agent);
  return agent;
}

/** Returns the share of each backend of the importer's route. */
async function shares(): Promise<string[] | undefined> {
  const route = await member("west")
    .request<{
      spec: {
        rules: Array<{ backendRefs: Array<{ kind: string; name: string; weight: number }> }>;
      };
    }>("GET", `${gatewayApi}/httproutes/qwen-pool-import`)
    .catch(() => undefined);
  return route?.spec.rules
    .at(-1)
    ?.backendRefs.map(({ kind, name, weight }) => `${kind} ${name} ${weight}`);
}

const both = ["InferencePool qwen-pool 90", "AgentgatewayBackend qwen-pool-east 10"];
const stays = ["InferencePool qwen-pool 90", "AgentgatewayBackend qwen-pool-east 0"];
const soon = { timeout: 60_000, interval: 50 };

it("multi-cluster-parent sends requests to the gateway of another cluster only while its model servers, picker and pods work", async () => {
  const [port = 0] = await freePorts(1);
  const { cert, key } = selfSignedCertificate(hostname, new Date());
  const caFile = join(folder, "tls.crt");
  writeFileSync(caFile, cert);
  writeFileSync(join(folder, "tls.key"), key);

  await deploy("set", set.kubeconfig, { kubeconfig: set.kubeconfig });
  running.push(await startSetController(set, "inference-system", join(folder, "controller")));
  const east = member("east");
  await deploy("exporter", east.kubeconfig, { port: String(port) });
  const pods = "/api/v1/namespaces/default/pods?labelSelector=fusioninfer.io/component-type=worker";
  const addresses = async () =>
    (
      await east.request<{ items: Array<{ status: { podIP?: string } }> }>("GET", pods)
    ).items.filter(({ status }) => status.podIP !== undefined).length;
  await expect.poll(addresses, soon).toBe(2);
  const traffic = await startLiveTraffic({
    ...{ kubeconfig: east.kubeconfig, namespace: "default", folder: join(folder, "east") },
    gateway: { port, certificate: folder },
  });
  running.push(traffic);
  await gatewayIsProgrammed(east);

  const importer = (config: Record<string, string> = {}) =>
    deploy("importer", member("west").kubeconfig, config);
  await importer();
  const agent = await startAgent(caFile);
  await expect.poll(shares, soon).toEqual(both);

  // First its model servers are gone and its API server does not report it; then the reverse.
  await traffic.cutOff();
  await expect.poll(shares, soon).toEqual(stays);
  await traffic.restore();
  await expect.poll(shares, soon).toEqual(both);
  await traffic.setReady(false);
  await expect.poll(shares, soon).toEqual(stays);
  await traffic.setReady(true);
  await expect.poll(shares, soon).toEqual(both);
  const [picker] = traffic.pickers.values();
  process.kill(picker?.pid ?? 0, "SIGSTOP");
  await expect.poll(shares, soon).toEqual(stays);
  process.kill(picker?.pid ?? 0, "SIGCONT");
  await expect.poll(shares, soon).toEqual(both);

  const { steps } = await importer({ exportedWeight: "0" });
  const updates = steps.filter(
    ({ operation, custom }) => custom && !["same", "read"].includes(operation),
  );
  expect(updates.map(({ operation, name }) => `${operation} ${name}`)).toEqual([
    // A ConfigMap is replaced, but the route is not deleted with it.
    "replace qwen-pool-configmap-parents-agent",
  ]);
  await expect
    .poll(shares, soon)
    .toEqual(["InferencePool qwen-pool 100", "AgentgatewayBackend qwen-pool-east 0"]);
  // No status 403; the milliseconds of a time may be .403Z.
  expect(agent.log()).not.toMatch(/(?<![.\d])403\b/);
}, 240_000);
