/**
 * The status controller with 10,000 objects and 100 changes a second: `npm run bench:status`.
 *
 * CPU is that of the controller's process, as a share of one core. A change counts from the moment its request is
 * sent until a watch tells of the status that follows from it; a status that does not come is lost.
 */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startCluster } from "../harness/api-server.ts";
import { freshNamespace } from "../harness/cluster.ts";
import { installCrds, installOwnCrds } from "../harness/install-crds.ts";
import { repositoryRoot } from "../harness/repository.ts";
import { type ServerProcess, startServer } from "../harness/server-process.ts";
import { changeThings } from "./status/changes.ts";
import { Expectations } from "./status/expectations.ts";
import { makeObjects, objectCount } from "./status/objects.ts";

const seconds = Number(process.argv[2] ?? 30);
const changesASecond = 100;
const idleSeconds = 5;

const cluster = await startCluster();
let controller: ServerProcess | undefined;
let expectations: Expectations | undefined;
try {
  await installCrds(cluster);
  await installOwnCrds(cluster);
  const namespace = await freshNamespace(cluster, "bench");
  const making = performance.now();
  await makeObjects(cluster, namespace);
  console.log(`${objectCount} objects made in ${since(making)} s`);

  expectations = new Expectations(cluster, namespace);
  expectations.everyStatus();
  const starting = performance.now();
  controller = startController(cluster.kubeconfig);
  const port = await metricsPortOf(controller);
  await expectations.allMet();
  if (expectations.pending > 0) throw new Error(`no status: ${expectations.examples.join(", ")}`);
  const first = await cpuSeconds(port);
  console.log(`every status written after ${since(starting)} s, with ${first.toFixed(1)} s of CPU`);

  await sleep(1_000);
  const idleFrom = await cpuSeconds(port);
  await sleep(idleSeconds * 1_000);
  report("idle", (await cpuSeconds(port)) - idleFrom, idleSeconds);

  expectations.latencies.length = 0;
  const before = await cpuSeconds(port);
  const changing = performance.now();
  await changeThings(cluster, namespace, expectations, { seconds, changesASecond });
  const wall = (performance.now() - changing) / 1000;
  report("controller", (await cpuSeconds(port)) - before, wall);
  await expectations.allMet();
  const times = expectations.latencies.sort((a, b) => a - b);
  const at = (share: number) => Math.round(times[Math.floor((times.length - 1) * share)] ?? 0);
  console.log(`changes: ${(times.length / wall).toFixed(0)} a second for ${wall.toFixed(0)} s`);
  console.log(`change to status, ms: median ${at(0.5)}, p99 ${at(0.99)}, longest ${at(1)}`);
  console.log(`lost updates: ${expectations.pending} ${expectations.examples.join(", ")}`);
  process.exitCode = expectations.pending === 0 ? 0 : 1;
} finally {
  expectations?.stop();
  await controller?.stop();
  await cluster.stop();
}

function since(start: number): string {
  return ((performance.now() - start) / 1000).toFixed(1);
}

function report(what: string, cpu: number, wall: number): void {
  console.log(`${what}: ${((cpu / wall) * 100).toFixed(1)} % of a core`);
}

function startController(kubeconfig: string): ServerProcess {
  return startServer("status-controller", process.execPath, [
    join(repositoryRoot, "runtime", "main.ts"),
    "status-controller",
    `--kubeconfig=${kubeconfig}`,
    "--leader-elect=false",
    "--metrics-port=0",
    "--health-port=0",
  ]);
}

async function metricsPortOf(server: ServerProcess): Promise<number> {
  for (;;) {
    const lines = server.log().split("\n");
    const line = lines.find((text) => text.includes('"msg":"serving"'));
    if (line !== undefined)
      return (JSON.parse(line) as { ports: { metrics: number } }).ports.metrics;
    if (server.ended() !== undefined) throw new Error(`the controller ended:\n${server.log()}`);
    await sleep(20);
  }
}

async function cpuSeconds(port: number): Promise<number> {
  const page = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return Number(/^process_cpu_seconds_total (\S+)$/m.exec(page)?.[1]);
}
