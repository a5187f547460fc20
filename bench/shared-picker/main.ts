/**
 * What idle pools cost the process that picks for them: `npm run bench:shared-picker -- --pools 1000 --pods 1`. A real API
 * server has the pools, and pods that nobody serves; the process is the image's own.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { mergePatchType } from "../../kubernetes/api/patch-types.ts";
import { planLLMServerPool } from "../../sdk/plan/pools/pool.ts";
import { programEnvironment } from "../../sdk/plan/programs/program-pods.ts";
import { llmServerPoolSpecKind } from "../../sdk/validate/pools.ts";
import { parseKind } from "../../sdk/validate/spec-kind.ts";
import { startCluster } from "../../testing/api-server.ts";
import { crdsWithOwn } from "../../testing/install-crds.ts";
import { startPicker } from "../../testing/picker-process.ts";

const { values } = parseArgs({
  options: {
    pools: { type: "string", default: "1000" },
    pods: { type: "string", default: "0" },
    seconds: { type: "string", default: "20" },
    /** The pod's limit of memory, by which its heap is bounded. */
    memory: { type: "string", default: "1Gi" },
    "first-port": { type: "string", default: "10000" },
  },
});
const [pools, pods, seconds, firstPort] = [
  values.pools,
  values.pods,
  values.seconds,
  values["first-port"],
].map(Number) as [number, number, number, number];

const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-shared-picker-"));
const cluster = await startCluster({ crds: await crdsWithOwn(["inference.networking.k8s.io"]) });
const picker = await startPicker({
  args: [
    ...["--picker-service=shared-epp", "--pool-namespace=default"],
    ...["--metrics-endpoint-auth=false", "--drain-timeout=0s"],
  ],
  // As planned for a pod with this limit of memory, which the kernel does not hold it to here.
  env: {
    KUBECONFIG: cluster.kubeconfig,
    ...Object.fromEntries(
      programEnvironment({ resources: { limits: { memory: values.memory } } }).map(
        ({ name, value }) => [name, value],
      ),
    ),
  },
});
const core = "/api/v1/namespaces/default/pods";

async function createPool(at: number): Promise<void> {
  const name = `pool-${at}`;
  const [pool] = planLLMServerPool(
    parseKind(llmServerPoolSpecKind, {
      metadata: { name },
      spec: {
        modelServerSelector: { app: name },
        endpointPicker: { shared: { name: "shared", port: firstPort + at } },
      },
    }),
  ).filter(({ kind }) => kind === "InferencePool");
  const path = "/apis/inference.networking.k8s.io/v1/namespaces/default/inferencepools";
  await cluster.request("POST", path, pool);
  for (let pod = 0; pod < pods; pod += 1) {
    const metadata = { name: `${name}-${pod}`, labels: { app: name } };
    const spec = { nodeName: "node", containers: [{ name: "c", image: "i" }] };
    await cluster.request("POST", core, { apiVersion: "v1", kind: "Pod", metadata, spec });
    const podIP = `127.2.${at >> 8}.${(at & 255) + pod}`;
    const conditions = [{ type: "Ready", status: "True" }];
    const status = { podIP, podIPs: [{ ip: podIP }], conditions };
    await cluster.request("PATCH", `${core}/${metadata.name}/status`, { status }, mergePatchType);
  }
}

async function metric(name: string): Promise<number> {
  const page = await fetch(`http://127.0.0.1:${picker.ports.metrics}/metrics`);
  return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(await page.text())?.[1]);
}

async function servedCount(): Promise<number> {
  const page = await fetch(`http://127.0.0.1:${picker.ports.metrics}/debug/pools`);
  const { served, refused } = (await page.json()) as { served: string[]; refused: object };
  const [problem] = Object.entries(refused);
  if (problem !== undefined) throw new Error(problem.join(": "));
  return served.length;
}

try {
  const [rssBefore] = [await metric("process_resident_memory_bytes")];
  const began = performance.now();
  for (let at = 0; at < pools; at += 10)
    await Promise.all(
      Array.from({ length: Math.min(10, pools - at) }, (_, more) => createPool(at + more)),
    );
  const written = performance.now();
  while ((await servedCount()) < pools) await sleep(100);
  const known = performance.now();
  await sleep(5_000);
  const cpuBefore = await metric("process_cpu_seconds_total");
  const from = performance.now();
  await sleep(seconds * 1_000);
  const cpu = (await metric("process_cpu_seconds_total")) - cpuBefore;
  const spent = (performance.now() - from) / 1_000;
  const rss = await metric("process_resident_memory_bytes");
  const mib = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MiB`;
  console.log(
    [
      `pools                ${pools}, ${pods} pods each`,
      `written in           ${((written - began) / 1_000).toFixed(1)} s, the last served ${Math.round(known - written)} ms later`,
      `resident             ${mib(rss)} (${mib(rssBefore)} without pools, ${Math.round((rss - rssBefore) / pools / 1024)} KiB each)`,
      `idle                 ${((100 * cpu) / spent).toFixed(1)} % of a core`,
    ].join("\n"),
  );
} finally {
  await picker.stop();
  await cluster.stop();
  rmSync(folder, { recursive: true, force: true });
}
