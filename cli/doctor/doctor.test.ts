import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { prerequisites } from "../../sdk/platform/prerequisites.ts";
import { folderOf, run } from "../sample.fixture.ts";
import type { CheckResult } from "./check-result.ts";
import { goodCluster, paths, type RecordedCluster, refused } from "./recorded-cluster.fixture.ts";

const notOk = (findings: readonly CheckResult[]) => findings.filter(({ level }) => level !== "ok");

const kubeconfigOf = (server: string) =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: { server, "insecure-skip-tls-verify": true } }],
    users: [{ name: "u", user: { token: "t0ken" } }],
    contexts: [{ name: "here", context: { cluster: "c", user: "u", namespace: "models" } }],
    "current-context": "here",
  });

/** An HTTP server that responds from a recording. */
async function serve(cluster: RecordedCluster): Promise<string> {
  const server = createServer((request, response) => {
    const value = cluster[request.url ?? ""];
    const status = value === refused ? 403 : value === undefined ? 404 : 200;
    const body = status === 200 ? value : { kind: "Status", message: `no ${request.url}` };
    const isKnown = request.headers.authorization === "Bearer t0ken";
    response.writeHead(isKnown ? status : 401).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function doctor(server: string, ...args: string[]) {
  using folder = folderOf({ config: kubeconfigOf(server) });
  return await run(["doctor", "--kubeconfig", join(folder.path, "config"), ...args]);
}

it("doctor ends with 0 on a good cluster", async () => {
  const { code, out, err } = await doctor(await serve(goodCluster()));
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toContain("ok       the API server answers v1.36.3\n");
  expect(out).toMatch(/\n\n\d+ ok\n$/);
});

it("doctor ends with 1 on an error and prints a fix", async () => {
  const cluster = goodCluster();
  cluster[paths.queue] = { status: { state: "Closed" } };
  const { code, out } = await doctor(await serve(cluster));
  expect(code).toBe(1);
  expect(out).toContain(
    "error    Volcano's default queue is not open\n         its state is Closed; nothing in it is scheduled\n         fix: vcctl queue operate --action open --name default\n",
  );
  expect(out).toContain("\n1 error, ");
});

it("doctor --fix prints the commands as a script that a shell reads", async () => {
  const cluster = goodCluster();
  for (const name of ["leaderworkersets.leaderworkerset.x-k8s.io", "queues.scheduling.volcano.sh"])
    delete cluster[paths.crd(name)];
  const { code, out } = await doctor(await serve(cluster), "--fix");
  expect(code).toBe(1);
  const commands = out.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  expect(commands).toEqual([prerequisites.leaderWorkerSet.install, prerequisites.volcano.install]);
  execFileSync("sh", ["-n"], { input: out });
  const refusal = await doctor("http://127.0.0.1:9", "--fix", "--format", "json");
  expect(refusal.code).toBe(2);
  expect(refusal.err).toContain("--fix prints a shell script; leave out --format json");
});

it("doctor ends with 0 on warnings and on unknown findings", async () => {
  const cluster = goodCluster();
  delete cluster[paths.crd("gateways.gateway.networking.k8s.io")];
  cluster[paths.queue] = refused;
  const { code, out } = await doctor(await serve(cluster), "--format", "json");
  expect(code).toBe(0);
  const findings = JSON.parse(out) as CheckResult[];
  expect(notOk(findings)).toEqual([
    expect.objectContaining({ check: "crd-gateway", level: "warning" }),
    expect.objectContaining({ check: "volcano-default-queue", level: "unknown" }),
  ]);
});

it("doctor checks the namespace of the context, or of -n", async () => {
  const cluster = goodCluster();
  const server = await serve(cluster);
  expect((await doctor(server)).out).toContain("create services in namespace models");
  expect((await doctor(server, "-n", "other")).out).toContain("create services in namespace other");
});

it("doctor treats an unknown context as misuse and names the existing contexts", async () => {
  const { code, err } = await doctor("http://127.0.0.1:9", "--context", "there");
  expect(code).toBe(2);
  expect(err).toContain('has no context "there"; it has here');
});
