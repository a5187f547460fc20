/**
 * The multi-cluster controller with ten API servers that share an etcd: `npm run bench:clusters`, or with a number of
 * names other than 1,000 as argument.
 *
 * Every member exports the same names, and exporters import as well. Writes of the controller are compared with a loop
 * of the same writes by the same number of requests at a time, in the same run. A change counts from the moment its
 * request is sent until watches of all members have told of what follows from it.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type MeasuredController, startController } from "./clusters/controller.ts";
import {
  annotate,
  createNamespace,
  createPool,
  forEach,
  type Member,
  startMembers,
  stopMembers,
} from "./clusters/members.ts";
import { plainWrites } from "./clusters/plain-writes.ts";
import { propagation } from "./clusters/propagation.ts";

const memberCount = 10;
const nameCount = Number(process.argv[2] ?? 1_000);
if (!Number.isInteger(nameCount) || nameCount < 1)
  throw new Error(`the argument is a number of names, not ${process.argv[2]}`);
const rounds = 25;
const noise = { seconds: 15, changesASecond: 100 };

const names = Array.from({ length: nameCount }, (_, at) => `pool-${at}`);
const roundsOf = (kind: string) => Array.from({ length: rounds }, (_, at) => `${kind}-${at}`);
const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-bench-"));
const members: Member[] = [];
const controllers: MeasuredController[] = [];
const say = (text: string) => console.log(text);

try {
  members.push(...(await startMembers(memberCount)));
  const [hub] = members;
  const last = members.at(-1);
  if (hub === undefined || last === undefined) throw new Error("no members");
  const lease = `--hub=${hub.cluster.kubeconfig}`;
  const start = async () => {
    const controller = await startController(members, 2 * nameCount + 1_000, folder, lease);
    controllers.push(controller);
    return controller;
  };
  await Promise.all(members.map((member) => createNamespace(member, "bench")));
  for (const member of members)
    await forEach(names, 16, (name) => createPool(member, "bench", name, true));
  say(`${memberCount} members, ${nameCount} names in each, load ${load()}`);

  const cold = performance.now();
  const owed = 3 * memberCount * nameCount;
  let controller = await start();
  await controller.until(({ writes }) => writes > 0, 60_000);
  const [readSeconds, firstWriteAt] = [since(cold), performance.now()];
  const first = await controller.until(({ writes }) => writes >= owed, 600 * nameCount);
  const coldSeconds = since(firstWriteAt);
  say(`S1: the first write ${fixed(readSeconds)} s after the start of the process`);
  say(
    `S1: ${first.writes} writes in ${fixed(coldSeconds)} s from there, ${fixed(first.memory / 2 ** 20)} MiB, ${fixed(first.cpu)} s of CPU`,
  );
  await sleep(2_000);
  const beyond = await controller.read();
  say(`S1: ${beyond.writes - owed} writes beyond those that are owed`);
  // Members that are slow to answer are gone on without, and what is owed is another thing then.
  if (beyond.writes !== owed) {
    say(`S1: ${JSON.stringify(beyond.writesByKind)}; the controller's log:`);
    say(controller.process.log());
  }
  await controller.process.stop();
  const plain = await plainWrites(members, "bench", "plain", names);
  say(
    `S1: a plain loop of the same writes: ${fixed(plain)} s; ratio ${(coldSeconds / plain).toFixed(2)}`,
  );

  controller = await start();
  await controller.until(({ current, leading }) => leading && current === memberCount, 60_000);
  await sleep(5_000);
  const before = await controller.read();
  const atRest = await propagation(hub, members, "bench", roundsOf("rest"));
  const after = await controller.until(({ waiting }) => waiting === 0, 30_000);
  say(
    `S3: export, ms: ${quantiles(atRest.exports)}; withdrawal, ms: ${quantiles(atRest.withdrawals)}`,
  );
  await sleep(1_000);
  const counted = (await controller.read()).writes - before.writes;
  say(
    `S3: ${counted / rounds} writes for both; 3C + 2 = ${3 * memberCount + 2} (read at ${after.writes})`,
  );

  process.kill(last.cluster.apiServer.pid, "SIGSTOP");
  await sleep(1_000);
  const healthy = members.filter((member) => member !== last);
  const lost = await propagation(hub, healthy, "bench", roundsOf("lost"));
  say(`S4: export, ms: ${quantiles(lost.exports)}; withdrawal, ms: ${quantiles(lost.withdrawals)}`);
  await createPool(hub, "bench", "late", true);
  await sleep(15_000);
  const healed = performance.now();
  process.kill(last.cluster.apiServer.pid, "SIGCONT");
  const path = "/apis/inference.networking.x-k8s.io/v1alpha1/namespaces/bench/inferencepoolimports";
  while (
    !(await last.cluster.request("GET", `${path}/late`).then(
      () => true,
      () => false,
    ))
  )
    await sleep(50);
  say(`S4: the member had what it missed ${fixed(since(healed))} s after it was back`);
  await controller.until(
    ({ waiting, current }) => waiting === 0 && current === memberCount,
    60_000,
  );
  await sleep(2_000);

  const standby = await start();
  await standby.until(({ current }) => current === memberCount, 60_000);
  const killed = performance.now();
  process.kill(controller.process.pid, "SIGKILL");
  await standby.until(({ leading }) => leading, 60_000);
  const failover = since(killed);
  await sleep(3_000);
  say(
    `S5: another led ${fixed(failover)} s after the leader was killed, and made ${(await standby.read()).writes} writes`,
  );
  await standby.process.stop();
  const restarted = performance.now();
  controller = await start();
  await controller.until(({ current, leading }) => leading && current === memberCount, 60_000);
  const synced = since(restarted);
  await sleep(5_000);
  const { writes, memory } = await controller.read();
  say(
    `S5: after a restart all is known in ${fixed(synced)} s, ${writes} writes, ${fixed(memory / 2 ** 20)} MiB`,
  );

  const quiet = Array.from({ length: 100 }, (_, at) => `quiet-${at}`);
  await forEach(quiet, 16, (name) => createPool(hub, "bench", name, false));
  await sleep(1_000);
  const idle = await controller.read();
  const began = performance.now();
  const total = noise.seconds * noise.changesASecond;
  const changes: Promise<unknown>[] = [];
  for (let at = 0; at < total; at += 1) {
    await sleep(Math.max(0, began + (at * 1000) / noise.changesASecond - performance.now()));
    changes.push(annotate(hub, "bench", `quiet-${at % 100}`, { noise: String(at) }));
  }
  await Promise.all(changes);
  const wall = since(began);
  const busy = await controller.read();
  say(
    `S6: ${(total / wall).toFixed(0)} changes/s: ${(((busy.cpu - idle.cpu) / wall) * 100).toFixed(1)} % of a core, event loop late by ${busy.lag.toFixed(0)} ms at p99, ${busy.writes - idle.writes} writes`,
  );
  say(`load average of the last minute: ${load()}`);
} finally {
  for (const { process } of controllers) await process.stop().catch(() => {});
  await stopMembers(members);
  rmSync(folder, { recursive: true });
}

function since(start: number): number {
  return (performance.now() - start) / 1000;
}

function fixed(value: number): string {
  return value.toFixed(1);
}

function load(): string {
  return loadavg()[0]?.toFixed(1) ?? "";
}

function quantiles(times: readonly number[]): string {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
  return `median ${at(0.5)}, longest ${at(1)}`;
}
