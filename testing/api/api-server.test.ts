import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CoreV1Api, KubeConfig } from "@kubernetes/client-node";
import { expect, it } from "vitest";
import { findBinaries } from "../processes/binaries.ts";
import { connect } from "./api-client.ts";
import { freshNamespace, startCluster } from "./api-server.ts";
import { crdsWithOwn } from "./install-crds.ts";
import type { Crd } from "./upstream-crds.ts";

const startMs = 60_000;

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(20);
}

/** Process ids whose command line names the folder. */
async function processesOf(folder: string): Promise<string[]> {
  const ps = spawn("ps", ["-eo", "pid,args"], { stdio: ["ignore", "pipe", "ignore"] });
  let text = "";
  for await (const chunk of ps.stdout) text += chunk;
  return text.split("\n").filter((line) => line.includes(folder));
}

it("serves kinds, authenticates, authorizes, records writes and leaves nothing behind after its stop", {
  timeout: startMs,
}, async () => {
  const cluster = await startCluster({ recordWrites: true, crds: await crdsWithOwn([]) });
  const folder = dirname(cluster.kubeconfig);
  expect(await cluster.request("GET", "/version")).toMatchObject({
    gitVersion: expect.stringMatching(/^v1\.\d+\.\d+/),
  });

  const config = new KubeConfig();
  config.loadFromFile(cluster.kubeconfig);
  const [first] = await crdsWithOwn([]);
  const crd = await cluster.request<Crd>(
    "GET",
    `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${first?.metadata.name}`,
  );
  expect(crd).toMatchObject({ metadata: { generation: 1 }, spec: first?.spec });

  const namespaces = await config.makeApiClient(CoreV1Api).listNamespace();
  expect(namespaces.items.map(({ metadata }) => metadata?.name)).toContain("default");

  const stranger = connect({ ...cluster, token: "wrong" });
  await expect(stranger.request("GET", "/api/v1/namespaces")).rejects.toMatchObject({
    status: 401,
  });
  const visitor = connect({ ...cluster, token: "" });
  await expect(visitor.request("GET", "/api/v1/namespaces")).rejects.toMatchObject({ status: 403 });
  for (const client of [stranger, visitor]) client.close();

  const namespace = await freshNamespace(cluster, "writes");
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" } };
  await cluster.request("POST", `${path}?dryRun=All`, configMap);
  await cluster.request("POST", path, configMap);
  await cluster.request("GET", `${path}/c`);
  const writes = cluster.writes().filter(({ uri }) => uri.startsWith(path));
  expect(writes.map(({ verb, dryRun }) => ({ verb, dryRun }))).toEqual([
    { verb: "create", dryRun: true },
    { verb: "create", dryRun: false },
  ]);

  expect(await processesOf(folder)).not.toEqual([]);
  await cluster.stop();
  expect(await processesOf(folder)).toEqual([]);
  expect(existsSync(folder)).toBe(false);
});

it("an API server ends with the process that started it, even if that process is killed", {
  timeout: startMs,
}, async () => {
  const script = `
    import { startCluster } from ${JSON.stringify(join(import.meta.dirname, "api-server.ts"))};
    const cluster = await startCluster();
    process.stdout.write(cluster.kubeconfig);
    setInterval(() => {}, 1_000);`;
  const owner = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [kubeconfig] = (await once(owner.stdout, "data")) as [Buffer];
  const folder = dirname(kubeconfig.toString());
  expect((await processesOf(folder)).length).toBeGreaterThanOrEqual(2);
  owner.kill("SIGKILL");
  await until(() => !existsSync(folder));
  expect(await processesOf(folder)).toEqual([]);
});

it("shows the end of the log when it does not start", async () => {
  const folder = mkdtempSync(join(tmpdir(), "broken-"));
  const kubeApiserver = join(folder, "kube-apiserver");
  writeFileSync(kubeApiserver, "#!/bin/sh\necho unknown flag: --secure-port >&2; exit 3\n", {
    mode: 0o755,
  });
  try {
    const { etcd } = await findBinaries();
    await expect(startCluster({ binaries: { etcd, kubeApiserver } })).rejects.toThrow(
      /did not start: kube-apiserver ended with exit code 3\..*unknown flag: --secure-port/s,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
