/**
 * The status controller with 10,000 objects and 100 changes a second: `npm run bench:status`, or with a number of
 * seconds other than 30 as argument.
 *
 * CPU is that of the controller's process, as a share of one core. A change counts from the moment its request is
 * sent until a watch tells of the status that follows from it. At the end all objects are read again: one without the
 * status that was expected last is a lost update. Beside it stands a process that writes as often and does nothing
 * else.
 */
import { execFileSync } from "node:child_process";
import { loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startCluster } from "../testing/api-server.ts";
import { freshNamespace } from "../testing/cluster.ts";
import { installCrds, installOwnCrds } from "../testing/install-crds.ts";
import { startRuntime } from "../testing/picker-process.ts";
import { repositoryRoot } from "../testing/repository.ts";
import { changeThings } from "./status/changes.ts";
import { Expectations } from "./status/expectations.ts";
import { makeObjects, objectCount } from "./status/objects.ts";

const seconds = Number(process.argv[2] ?? 30);
const changesASecond = 100;
const idleSeconds = 5;

const cluster = await startCluster();
let controller: Awaited<ReturnType<typeof startController>> | undefined;
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
  controller = await startController(cluster.kubeconfig);
  await expectations.allMet(240_000);
  if (expectations.pending > 0)
    throw new Error(`no status: ${expectations.examples.join(", ")}\n${controller.log()}`);
  const first = await controller.used();
  console.log(`every status written after ${since(starting)} s, with ${first.cpu} s of CPU`);

  await sleep(1_000);
  const idleFrom = await controller.used();
  await sleep(idleSeconds * 1_000);
  const idle = await controller.used();
  console.log(`idle: ${percent((idle.cpu - idleFrom.cpu) / idleSeconds)} of a core`);

  expectations.latencies.clear();
  const changing = performance.now();
  const rate = { seconds, changesASecond };
  const answers = await changeThings(cluster, namespace, expectations, rate);
  const wall = (performance.now() - changing) / 1000;
  await expectations.allMet(30_000);
  const end = await controller.used();
  const [cpu, writes] = [end.cpu - idle.cpu, end.writes - idle.writes];
  console.log(`changes: ${(answers.length / wall).toFixed(0)} a second for ${wall.toFixed(0)} s`);
  console.log(
    `controller: ${percent(cpu / wall)} of a core, ${(writes / wall).toFixed(0)} writes/s`,
  );
  console.log(`change to its answer, ms: ${quantiles(answers)}`);
  for (const [collection, times] of expectations.latencies)
    console.log(`change to the status in ${collection}, ms: ${quantiles(times)}`);
  const lost = await expectations.lost(cluster, namespace);
  console.log(`lost updates: ${lost.length} ${lost.slice(0, 3).join(", ")}`);
  process.exitCode = lost.length === 0 ? 0 : 1;

  await controller.stop();
  const bare = bareWrite(cluster.kubeconfig, namespace);
  console.log(`CPU a change: ${inMs((cpu * 1000) / answers.length)}; a bare write: ${inMs(bare)}`);
  console.log(`load average of the last minute: ${loadavg()[0]?.toFixed(1)}`);
} finally {
  expectations?.stop();
  await controller?.stop();
  await cluster.stop();
}

function since(start: number): string {
  return ((performance.now() - start) / 1000).toFixed(1);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function inMs(time: number): string {
  return `${time.toFixed(2)} ms`;
}

function quantiles(times: readonly number[]): string {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
  return `median ${at(0.5)}, p99 ${at(0.99)}, longest ${at(1)}`;
}

async function startController(kubeconfig: string) {
  const { ports, stop, log } = await startRuntime("status-controller", {
    args: [
      "--leader-elect=false",
      "--metrics-port=0",
      "--metrics-endpoint-auth=false",
      "--health-port=0",
    ],
    env: { KUBECONFIG: kubeconfig },
  });
  /** Seconds of CPU and statuses written so far. */
  const used = async () => {
    const page = await (await fetch(`http://127.0.0.1:${ports.metrics}/metrics`)).text();
    const cpu = Number(/^process_cpu_seconds_total (\S+)$/m.exec(page)?.[1]);
    const written = page.matchAll(/^\S+_reconciles_total\{.*result="written"\} (\d+)$/gm);
    return { cpu, writes: [...written].reduce((sum, [, count]) => sum + Number(count), 0) };
  };
  return { used, stop, log };
}

/** Milliseconds of CPU of one write, in a process that does nothing else. */
function bareWrite(kubeconfig: string, namespace: string): number {
  const program = join(repositoryRoot, "test", "bench", "status", "bare-writes.ts");
  const args = [program, kubeconfig, namespace, "10", String(changesASecond)];
  return Number(execFileSync(process.execPath, args, { encoding: "utf8" }));
}
