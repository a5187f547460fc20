import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { checkHealth } from "../../runtime/manager/health/check-health.fixture.ts";
import { healthStatus } from "../../runtime/manager/health/health-service.ts";
import { startCluster } from "../../testing/api-server.ts";
import type { Cluster } from "../../testing/cluster.ts";
import { installCrds, installOwnCrds } from "../../testing/install-crds.ts";
import { type PickerProcess, startPicker, startRuntime } from "../../testing/picker-process.ts";

/** Every program of the image as it starts by default, beside a real API server: what anybody who reaches its ports learns. */

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
])("B1, C11: the pages of the %s ask for a token", async (_, debug, start) => {
  const { ports: own } = await start();
  const read = async (path: string, headers: Record<string, string> = {}) =>
    (await fetch(`http://127.0.0.1:${own.metrics}${path}`, { headers })).status;
  for (const path of ["/metrics", ...(debug === undefined ? [] : [debug])]) {
    expect(await read(path)).toBe(401);
    expect(await read(path, { authorization: "Bearer made.up.token" })).toBe(401);
  }
  expect(await read("/metrics", { authorization: `Bearer ${cluster.token}` })).toBe(200);
});

it("C4: a picker whose import does not exist is alive, and not ready", async () => {
  const { ports: own } = await picker("--import=nowhere");
  await expect
    .poll(() => checkHealth(own.health, "liveness"), { timeout: 10_000 })
    .toBe(healthStatus.serving);
  expect(await checkHealth(own.health, "readiness")).toBe(healthStatus.notServing);
});
