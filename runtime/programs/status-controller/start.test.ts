import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { pageAudience } from "../../../sdk/names.ts";
import { planMetricsReaders } from "../../../sdk/plan/programs/metrics-auth.ts";
import { startCluster } from "../../../testing/api/api-server.ts";
import { type Cluster, freshNamespace } from "../../../testing/api/cluster.ts";
import { installCrds, installOwnCrds } from "../../../testing/api/install-crds.ts";
import { objectPath } from "../../../testing/object-path.ts";
import { checkHealth } from "../../manager/health/check-health.fixture.ts";
import { healthStatus } from "../../manager/health/health-service.ts";
import { newLog } from "../../manager/log.ts";
import type { Running } from "../../manager/manager.ts";
import { readCommandLine } from "../../manager/program.ts";
import { eventually, type StoredObject, soon } from "./controller.fixture.ts";
import { program } from "./program.ts";
import { startStatusController } from "./start.ts";

let cluster: Cluster;
let namespace: string;
const running: Running[] = [];
let replicas = 0;

beforeAll(async () => {
  cluster = await startCluster();
  namespace = await freshNamespace(cluster);
}, 120_000);
afterEach(async () => {
  await Promise.all(running.splice(0).map((controller) => controller.stop()));
});
afterAll(() => {
  vi.unstubAllEnvs();
  return cluster?.stop();
});

async function start(...args: string[]) {
  const invocation = readCommandLine(
    program,
    [
      `--kubeconfig=${cluster.kubeconfig}`,
      `--lease-namespace=${namespace}`,
      "--metrics-port=0",
      "--health-port=0",
      ...args,
    ],
    {},
  );
  if (invocation.kind !== "run") throw new Error(JSON.stringify(invocation));
  const log: string[] = [];
  // The name and the process identify a replica.
  replicas += 1;
  vi.stubEnv("POD_NAME", `replica-${replicas}`);
  const controller = await startStatusController(
    invocation.options,
    newLog({ verbosity: 9, write: (line) => log.push(line), now: Date.now }),
  );
  running.push(controller);
  const metrics = async () => {
    const response = await fetch(`http://127.0.0.1:${controller.ports.metrics}/metrics`, {
      headers: { authorization: `Bearer ${await scraperToken()}` },
    });
    return response.text();
  };
  const said = (msg: string) => log.some((line) => line.includes(`"msg":"${msg}"`));
  return { controller, metrics, said };
}

const pools = () => `/apis/inference.x-k8s.io/v1alpha1/namespaces/${namespace}/llmserverpools`;
const conditions = async (name: string) => {
  const { status } = await cluster.request<StoredObject>("GET", `${pools()}/${name}`);
  return status?.conditions?.map(({ reason }) => reason);
};
const makePool = (name: string) =>
  cluster.request("POST", pools(), {
    apiVersion: "inference.x-k8s.io/v1alpha1",
    kind: "LLMServerPool",
    metadata: { name },
    spec: { modelServerSelector: { app: "m" } },
  });

/** Creates a token of an account that may read all metrics, for the given audiences or for the API server. */
async function scraperToken(...audiences: string[]): Promise<string> {
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  const context = { metadata: { name: "c", namespace, labels: {}, annotations: {} }, owner: {} };
  const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "scraper" } };
  await cluster.apply(`${accounts}/scraper`, account);
  for (const manifest of planMetricsReaders(context, [{ name: "scraper", namespace }]))
    await cluster.apply(objectPath(manifest), manifest);
  const { status } = await cluster.request<{ status: { token: string } }>(
    "POST",
    `${accounts}/scraper/token`,
    {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: audiences.length > 0 ? { audiences } : {},
    },
  );
  return status.token;
}

it("the metrics page requires a token of a permitted account, for the API server or for metrics pages", async () => {
  const { controller } = await start("--leader-elect=false");
  const answered = async (token?: string) => {
    const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
    const url = `http://127.0.0.1:${controller.ports.metrics}/metrics`;
    return (await fetch(url, { headers })).status;
  };
  expect(await answered()).toBe(401);
  expect(await answered("made.up.token")).toBe(401);
  expect(await answered(await scraperToken())).toBe(200);
  expect(await answered(await scraperToken(pageAudience))).toBe(200);
  expect(await answered(await scraperToken("vault"))).toBe(401);
});

it("a controller waits for kinds that are not served yet", async () => {
  const { controller, metrics } = await start();
  await eventually(() => checkHealth(controller.ports.health, "readiness")).toBe(
    healthStatus.serving,
  );
  await installCrds(cluster);
  await installOwnCrds(cluster);
  await makePool("first");
  await expect
    .poll(() => conditions("first"), { ...soon, timeout: 40_000 })
    .toEqual(["PoolNotFound", "NoSharedPods", "NoPods"]);
  const page = await metrics();
  expect(page).toContain(
    'status_controller_reconciles_total{kind="LLMServerPool",result="written"} 1\n',
  );
  expect(page).toContain("status_controller_leader 1\n");
  expect(page).toMatch(/\nprocess_cpu_seconds_total \d/);
});

it("only one of two controllers writes, and the other takes over when it stops", async () => {
  const one = await start();
  await expect.poll(() => one.said("leading"), soon).toBe(true);
  const two = await start();
  await expect.poll(() => two.said("cluster read"), soon).toBe(true);
  await makePool("second");
  await eventually(() => conditions("second")).toHaveLength(3);
  expect(await two.metrics()).not.toContain("result=");
  await expect
    .poll(() => checkHealth(two.controller.ports.health, "readiness"), soon)
    .toBe(healthStatus.serving);
  await one.controller.stop();
  await expect.poll(() => two.said("leading"), soon).toBe(true);
  await makePool("third");
  await eventually(() => conditions("third")).toHaveLength(3);
});

it("a controller needs no lease with --leader-elect=false", async () => {
  await start("--leader-elect=false", `--namespaces=${namespace}`);
  await makePool("fourth");
  await eventually(() => conditions("fourth")).toHaveLength(3);
});

describe("flags", () => {
  it("flags have defaults", () => {
    expect(readCommandLine(program, [], {})).toEqual({
      kind: "run",
      warnings: [],
      options: {
        ...{ namespaces: undefined, kubeconfig: undefined, leaseNamespace: "default" },
        pickers: { intervalMs: 30_000, port: 9090, tokenFile: undefined },
        recyclesPods: false,
        operations: { metricsPort: 9090, metricsAuth: true, healthPort: 9003, verbosity: 2 },
        verbosity: 2,
      },
    });
    expect(readCommandLine(program, [], { NAMESPACE: "n" })).toMatchObject({
      options: { leaseNamespace: "n" },
    });
    expect(readCommandLine(program, ["--leader-elect=false"], {})).toMatchObject({
      options: { leaseNamespace: undefined },
    });
    expect(readCommandLine(program, ["--namespaces=a,b"], {})).toMatchObject({
      options: { namespaces: ["a", "b"] },
    });
  });

  it("all wrong flags are reported, and the help lists all flags", () => {
    expect(readCommandLine(program, ["--picker-metrics-interval=1ms", "--x"], {})).toEqual({
      kind: "wrong",
      problems: [
        "--x: unknown flag; --help lists all",
        "--picker-metrics-interval: give at least 100ms, since each interval reads every picker",
      ],
    });
    expect(readCommandLine(program, ["--help"], {})).toMatchObject({
      kind: "help",
      text: expect.stringContaining("--lease-namespace NAMESPACE"),
    });
  });
});
