import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { checkHealth } from "../../runtime/manager/health/check-health.fixture.ts";
import { healthStatus } from "../../runtime/manager/health/health-service.ts";
import { debugReaderName, pageAudience } from "../../sdk/names.ts";
import { planControllers } from "../../sdk/plan/controllers/controllers.ts";
import { refusedByPage } from "../../sdk/topology/page-refusals.ts";
import { parseKind } from "../../sdk/validate/spec-kind.ts";
import { controllersSpecKind } from "../../sdk/validate/spec-kinds.ts";
import { startCluster } from "../../testing/api/api-server.ts";
import { type Cluster, freshNamespace } from "../../testing/api/cluster.ts";
import { installCrds, installOwnCrds } from "../../testing/api/install-crds.ts";
import {
  type PickerProcess,
  startPicker,
  startRuntime,
} from "../../testing/pods/picker-process.ts";

/**
 * Every program of the image, started with its defaults next to a real API server: the responses of its ports to any
 * client.
 */

const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-programs-"));
const running: PickerProcess[] = [];
let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster();
  await installOwnCrds(cluster);
  await installCrds(cluster, { groups: ["leaderworkerset.x-k8s.io"] });
}, 120_000);
afterAll(async () => {
  await Promise.all(running.map((program) => program.stop()));
  await cluster?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const ports = ["--metrics-port=0", "--health-port=0"];
const kept = async (program: Promise<PickerProcess>) => {
  running.push(await program);
  return program;
};
const picker = (target: string) =>
  kept(
    startPicker({
      args: [target, "--pool-namespace=default", "--drain-timeout=0s", "--v=0"],
      env: { KUBECONFIG: cluster.kubeconfig },
    }),
  );
const controller = (name: string, ...args: string[]) =>
  kept(startRuntime(name, { args: [...ports, ...args] }));

it.each<[name: string, debug: string | undefined, start: () => Promise<PickerProcess>]>([
  ["picker", "/debug/state", () => picker("--pool-name=pool")],
  ["picker of an import", "/debug/clusters", () => picker("--import=pool")],
  [
    "status controller",
    undefined,
    () => controller("status-controller", `--kubeconfig=${cluster.kubeconfig}`),
  ],
  [
    "multi-cluster controller",
    "/debug/clusters",
    () =>
      controller(
        "multi-cluster-controller",
        `--hub=${cluster.kubeconfig}`,
        `--member=east=${cluster.kubeconfig}`,
      ),
  ],
  [
    "webhook for pod plugins",
    undefined,
    () =>
      controller(
        "pod-plugin-webhook",
        `--kubeconfig=${cluster.kubeconfig}`,
        ...["--port=0", "--namespace=default"],
      ),
  ],
])("B1, C11: the pages of the %s require a token", async (_, debug, start) => {
  const { ports: own } = await start();
  const read = async (path: string, headers: Record<string, string> = {}) =>
    (await fetch(`http://127.0.0.1:${own.metrics}${path}`, { headers })).status;
  for (const path of ["/metrics", ...(debug === undefined ? [] : [debug])]) {
    expect(await read(path)).toBe(401);
    expect(await read(path, { authorization: "Bearer made.up.token" })).toBe(401);
  }
  expect(await read("/metrics", { authorization: `Bearer ${cluster.token}` })).toBe(200);
});

it("debugReaders may read routing decisions but not metrics; other accounts get 403 with the missing permission", async () => {
  const namespace = await freshNamespace(cluster);
  const controllers = {
    metadata: { name: "controllers", namespace },
    spec: { debugReaders: [{ name: "on-call", namespace }] },
  };
  const roles = planControllers(parseKind(controllersSpecKind, controllers)).filter(
    ({ metadata }) => metadata.name === debugReaderName,
  );
  expect(roles.map(({ kind }) => kind)).toEqual(["ClusterRole", "ClusterRoleBinding"]);
  for (const role of roles)
    await cluster.request("POST", `/apis/${role.apiVersion}/${role.kind.toLowerCase()}s`, role);
  const { ports: own } = await picker("--pool-name=pool");
  const read = async (account: string, path: string) => {
    const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
    const { status } = await cluster.request<{ status: { token: string } }>(
      "POST",
      `${accounts}/${account}/token`,
      { spec: { audiences: [pageAudience] } },
    );
    const headers = { authorization: `Bearer ${status.token}` };
    const answer = await fetch(`http://127.0.0.1:${own.metrics}${path}`, { headers });
    return { status: answer.status, text: await answer.text() };
  };
  for (const name of ["on-call", "guest"])
    await cluster.request("POST", `/api/v1/namespaces/${namespace}/serviceaccounts`, {
      metadata: { name },
    });
  const page = await read("on-call", "/debug/explain?request-id=none");
  expect(JSON.parse(page.text)).toEqual({ kept: 200, decisions: [] });
  expect(await read("guest", "/debug/explain")).toEqual({
    status: 403,
    text: `${refusedByPage.forbidden}\n`,
  });
  expect((await read("on-call", "/metrics")).status).toBe(403);
});

it("C4: a picker whose import does not exist is alive, and not ready", async () => {
  const { ports: own } = await picker("--import=nowhere");
  await expect
    .poll(() => checkHealth(own.health, "liveness"), { timeout: 10_000 })
    .toBe(healthStatus.serving);
  expect(await checkHealth(own.health, "readiness")).toBe(healthStatus.notServing);
});
