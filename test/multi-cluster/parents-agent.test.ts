import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { mergePatchType } from "../../kubernetes/api/patch-types.ts";
import { readCommandLine } from "../../runtime/manager/program.ts";
import { program } from "../../runtime/multi-cluster/parents-agent/program.ts";
import { importKind } from "../../sdk/multi-cluster/import-schema.ts";
import { annotation } from "../../sdk/names.ts";
import { planImportedPool } from "../../sdk/plan/multi-cluster/imported-pool.ts";
import { parseKind } from "../../sdk/validate/spec-kind.ts";
import { importedPoolSpecKind } from "../../sdk/validate/spec-kinds.ts";
import { accountKubeconfig } from "../../testing/api/account-kubeconfig.ts";
import { type AttachedCluster, freshNamespace } from "../../testing/api/cluster.ts";
import { installOwnCrds } from "../../testing/api/install-crds.ts";
import { sharedCluster } from "../../testing/clusters/shared-cluster.ts";
import { collectionPath } from "../../testing/object-path.ts";
import { runtimeBundle } from "../../testing/processes/runtime-bundle.ts";
import { type ServerProcess, startServer } from "../../testing/processes/server-process.ts";
import { agentgatewayBackends } from "./agentgateway-backends.fixture.ts";

/** The agent with the arguments and the permissions of its planned Deployment, on an API server. */

const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-parents-"));
let cluster: AttachedCluster;
let namespace: string;
let agent: ServerProcess | undefined;
const gateways: Gateway[] = [];
beforeAll(async () => {
  cluster = await sharedCluster();
  await installOwnCrds(cluster);
  namespace = await freshNamespace(cluster, "parents");
  await cluster.apply(
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/agentgatewaybackends.agentgateway.dev",
    agentgatewayBackends,
  );
}, 120_000);
afterAll(async () => {
  await agent?.stop();
  for (const gateway of gateways) gateway.close();
  await cluster?.detach();
  rmSync(folder, { recursive: true, force: true });
});

/** A gateway that takes connections. */
interface Gateway {
  readonly port: number;
  close(): void;
}

async function gatewayAt(port = 0): Promise<Gateway> {
  const open = new Set<Socket>();
  const server: Server = createServer((socket) => {
    open.add(socket);
    socket.on("error", () => {});
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const gateway = {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
  gateways.push(gateway);
  return gateway;
}

const entry = (name: string, { port }: Gateway) => ({
  ...{ name, routingMode: "ParentMode", targetPortNumber: 8000 },
  conditions: [{ type: "Ready", status: "True" }],
  parents: [
    {
      ...{ name: "gateway", namespace: "default" },
      service: [{ type: "LoadBalancer", addresses: ["127.0.0.1"], ports: [{ number: port }] }],
    },
  ],
});

const routes = () => `/apis/gateway.networking.k8s.io/v1/namespaces/${namespace}/httproutes`;
const backends = () =>
  `/apis/agentgateway.dev/v1alpha1/namespaces/${namespace}/agentgatewaybackends`;

interface Route {
  readonly metadata: { readonly ownerReferences?: ReadonlyArray<{ kind: string; name: string }> };
  readonly spec: {
    readonly rules: ReadonlyArray<{ backendRefs: ReadonlyArray<{ name: string; weight: number }> }>;
  };
}

const readRoute = () =>
  cluster.request<Route>("GET", `${routes()}/pool-import`).catch(() => undefined);
const shares = async () =>
  (await readRoute())?.spec.rules
    .at(-1)
    ?.backendRefs.map(({ name, weight }) => `${name} ${weight}`);
const soon = { timeout: 30_000, interval: 50 };

it("the agent updates the route when clusters join, leave or fail, with only its planned role, and changes no foreign object", async () => {
  const objects = planImportedPool(
    parseKind(importedPoolSpecKind, {
      metadata: { name: "pool", namespace },
      spec: {
        gateway: { type: "agentgateway" },
        ...{ parentsAgent: {}, local: { weight: 9 }, weight: 1 },
        parentRefs: [{ name: "gateway" }],
      },
    }),
  );
  for (const object of objects) await cluster.request("POST", collectionPath(object), object);
  const [a, b] = [await gatewayAt(), await gatewayAt()];
  const imports = `/apis/${importKind.apiVersion}/namespaces/${namespace}/${importKind.plural}`;
  const detail = (...clusters: object[]) => ({
    [annotation.importDetail]: JSON.stringify({ controller: "example.com/c", clusters }),
  });
  const use = (...clusters: object[]) =>
    cluster.request(
      "PATCH",
      `${imports}/pool`,
      { metadata: { annotations: detail(...clusters) } },
      mergePatchType,
    );
  await cluster.request("POST", imports, {
    apiVersion: importKind.apiVersion,
    kind: importKind.kind,
    metadata: { name: "pool", annotations: detail(entry("a", a), entry("b", b)) },
  });
  const deployment = objects.find(({ kind }) => kind === "Deployment") as unknown as {
    spec: { template: { spec: { containers: Array<{ args: string[] }> } } };
  };
  const { containers } = deployment.spec.template.spec;
  const account = { kubeconfig: cluster.kubeconfig, namespace, folder };
  const kubeconfig = await accountKubeconfig(account, "pool-parents-agent");
  agent = startServer("parents-agent", "env", [
    ...[`KUBECONFIG=${kubeconfig}`, process.execPath, await runtimeBundle()],
    ...(containers[0]?.args ?? []),
    ...["--remote-allow-loopback", "--import-failback-delay=0s"],
  ]);
  await expect.poll(shares, soon).toEqual(["pool 18", "pool-a 1", "pool-b 1"]);
  expect((await readRoute())?.metadata.ownerReferences).toMatchObject([
    { kind: "ServiceAccount", name: "pool-parents-agent" },
  ]);
  expect(await cluster.request("GET", `${backends()}/pool-a`)).toMatchObject({
    spec: { static: { host: "127.0.0.1", port: a.port } },
  });

  b.close();
  await expect.poll(shares, soon).toEqual(["pool 9", "pool-a 1", "pool-b 0"]);
  const again = await gatewayAt(b.port);
  await expect.poll(shares, soon).toEqual(["pool 18", "pool-a 1", "pool-b 1"]);
  // If no gateway answers, all requests stay here.
  a.close();
  again.close();
  await expect.poll(shares, soon).toEqual(["pool 9", "pool-a 0", "pool-b 0"]);

  const back = await gatewayAt(a.port);
  await use(entry("a", back));
  await expect.poll(shares, soon).toEqual(["pool 9", "pool-a 1"]);
  const names = async () =>
    (
      await cluster.request<{ items: Array<{ metadata: { name: string } }> }>("GET", backends())
    ).items.map(({ metadata }) => metadata.name);
  await expect.poll(names, soon).toEqual(["pool-a"]);

  // An object that another actor created stays unchanged, and the agent reports it.
  const foreign = { static: { host: "foreign.example", port: 1 } };
  await cluster.request("POST", backends(), {
    apiVersion: "agentgateway.dev/v1alpha1",
    kind: "AgentgatewayBackend",
    metadata: { name: "pool-c" },
    spec: foreign,
  });
  await use(entry("a", back), entry("c", back));
  await expect.poll(() => agent?.log(), soon).toContain("pool-c does not belong to this agent");
  expect(await cluster.request("GET", `${backends()}/pool-c`)).toMatchObject({ spec: foreign });
  expect(agent.log()).not.toMatch(/\b403\b/);
  await agent.stop();
  expect(agent.ended()).toBe("exit code 0");
  expect(await shares()).toEqual(["pool 9", "pool-a 1"]);
}, 180_000);

it("all missing flags are reported together", () => {
  expect(readCommandLine(program, ["--parent-ca-file=f"], {})).toEqual({
    kind: "wrong",
    problems: [
      "no import: give --import",
      "no route: give --imported-pool",
      "--parent-ca-file: has no effect alone; give --parent-server-name as well",
    ],
  });
});
