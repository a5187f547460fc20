import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, it } from "vitest";
import { startCluster } from "../../testing/api/api-server.ts";
import { startRuntime } from "../../testing/pods/picker-process.ts";
import { residentMebibytes } from "../../testing/processes/server-process.ts";
import {
  type PoolOfMember,
  type StandInCluster,
  type StandInOptions,
  standInCluster,
} from "./stand-in-cluster.ts";

/**
 * B4: a hostile member of a cluster set attacks the others through its API server's responses. The controller is a real
 * process. The API servers are stand-ins, since a real one cannot be made to lie.
 */

const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-hostile-"));
const cleanups: Array<() => unknown> = [() => rmSync(folder, { recursive: true })];
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});

const busy = { timeout: 30_000, interval: 100 };

async function member(options: StandInOptions): Promise<StandInCluster> {
  const cluster = await standInCluster(options);
  cleanups.push(() => cluster.close());
  return cluster;
}

interface Named {
  readonly name: string;
  readonly cluster: StandInCluster;
  readonly policy?: object;
}

/** A controller of these members, in this order. Without a hub it leads by itself, and keeps nothing. */
async function controller(
  members: readonly Named[],
  flags: readonly string[] = ["--leader-elect=false"],
) {
  const file = join(folder, `${cleanups.length}.yaml`);
  const write = (list: readonly Named[]) => {
    const entries = list.map(({ name, cluster, policy }) => {
      const kubeconfig = `${file}-${name}`;
      writeFileSync(kubeconfig, cluster.kubeconfig);
      return { name, kubeconfig, ...policy };
    });
    writeFileSync(file, JSON.stringify({ members: entries }));
  };
  write(members);
  const program = await startRuntime("multi-cluster-controller", {
    args: [
      ...["--metrics-port=0", "--health-port=0", "--import-grace-period=0s"],
      ...["--metrics-endpoint-auth=false", `--members-file=${file}`, ...flags],
    ],
  });
  cleanups.push(() => program.stop());
  return { program, write };
}

const pool: PoolOfMember = { namespace: "ml", name: "llama" };
const endlessly = (response: ServerResponse, head: string, chunk: string) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.write(head);
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on("drain", more);
  more();
};
const isList = (request: IncomingMessage, url: URL, kind: string) =>
  request.method === "GET" && url.pathname.endsWith(`/${kind}`) && !url.searchParams.has("watch");

it("B4: endless responses of members do not fill memory or delay other members", async () => {
  const padding = "x".repeat(65_536);
  const list = await member({
    uid: "list",
    instead: (request, response, url) => {
      if (!isList(request, url, "inferencepools")) return false;
      endlessly(response, '{"items":["', padding);
      return true;
    },
  });
  let pages = 0;
  const paging = await member({
    uid: "pages",
    instead: (request, response, url) => {
      if (!isList(request, url, "inferencepools")) return false;
      pages += 1;
      const items = Array.from({ length: 100 }, (_, at) => ({
        metadata: { namespace: "ml", name: `p-${pages}-${at}`, uid: "u", resourceVersion: "1" },
        spec: { targetPorts: [{ number: 1 }], padding: "x".repeat(10_000) },
      }));
      response.end(JSON.stringify({ metadata: { resourceVersion: "1", continue: "more" }, items }));
      return true;
    },
  });
  const event = await member({
    uid: "event",
    instead: (_, response, url) => {
      if (!url.pathname.endsWith("/inferencepools") || !url.searchParams.has("watch")) return false;
      endlessly(response, '{"type":"ADDED","object":"', padding);
      return true;
    },
  });
  let asked = 0;
  const later = await member({
    uid: "later",
    instead: (request, response, url) => {
      if (!isList(request, url, "gateways")) return false;
      asked += 1;
      response.writeHead(429, { "retry-after": "9999999" }).end("{}");
      return true;
    },
  });
  const east = await member({ uid: "east", pools: [pool] });
  const west = await member({ uid: "west" });
  const { program } = await controller([
    { name: "list", cluster: list },
    { name: "pages", cluster: paging },
    { name: "event", cluster: event },
    { name: "later", cluster: later },
    { name: "east", cluster: east },
    { name: "west", cluster: west },
  ]);
  let most = 0;
  const ends = Date.now() + 5_000;
  while (Date.now() < ends) {
    most = Math.max(most, residentMebibytes(program.pid));
    await sleep(100);
  }
  expect(most).toBeLessThan(512);
  // It is asked once, and not again before five minutes have passed.
  expect(asked).toBe(1);
  await expect.poll(() => west.exportersOf("ml/llama"), busy).toEqual(["east"]);
  const log = program.log();
  expect(log).toMatch(/the response is longer than 16777216 bytes/);
  expect(log).toMatch(/the list has more than 2000 objects/);
  expect(log).toMatch(/an event is longer than 4194304 bytes/);
}, 60_000);

it("B4: a member that reports another member's uid is refused and the other member stays", async () => {
  const east = await member({ uid: "east", pools: [pool] });
  const west = await member({ uid: "west" });
  const liar = await member({ uid: "east" });
  const { program, write } = await controller([
    { name: "a-liar", cluster: liar },
    { name: "east", cluster: east },
    { name: "west", cluster: west },
  ]);
  await expect.poll(() => west.exportersOf("ml/llama"), busy).toEqual(["east"]);
  await expect.poll(() => program.log(), busy).toMatch(/member in doubt/);
  const late = await member({ uid: "west", pools: [{ namespace: "ml", name: "evil" }] });
  write([
    { name: "a-late", cluster: late },
    { name: "east", cluster: east, policy: { uid: "east" } },
    { name: "a-liar", cluster: liar },
    { name: "west", cluster: west },
  ]);
  await expect
    .poll(() => program.log(), busy)
    .toMatch(/member refused.*a-late|a-late.*is the same cluster as west/);
  await expect.poll(() => program.log(), busy).toMatch(/is the same cluster as east/);
  expect(west.exportersOf("ml/llama")).toEqual(["east"]);
  // Not for a moment either, before members are held against each other.
  expect(west.everImported()).toEqual(["ml/llama"]);
  expect(east.everImported()).toEqual([]);
}, 60_000);

it("B4: a member that reports another member's uid while the hub restarts is refused", async () => {
  const hub = await startCluster();
  cleanups.push(() => hub.stop());
  const elected = [`--hub=${hub.kubeconfig}`, "--lease-namespace=default"];
  const lease = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
  const noted = async () => {
    const { metadata } = await hub.request<{
      metadata: { annotations?: Record<string, string> };
    }>("GET", `${lease}/inference-multi-cluster-controller`);
    return JSON.parse(metadata.annotations?.["pulumi-inference/member-identities"] ?? "{}");
  };
  const east = await member({ uid: "east", pools: [pool] });
  const west = await member({ uid: "west" });
  const honest = await member({ uid: "liar" });
  const first = await controller(
    [
      { name: "a-liar", cluster: honest },
      { name: "east", cluster: east },
      { name: "west", cluster: west },
    ],
    elected,
  );
  await expect.poll(() => west.exportersOf("ml/llama"), busy).toEqual(["east"]);
  await expect.poll(noted, busy).toEqual({ "a-liar": "liar", east: "east", west: "west" });
  await first.program.stop();

  // East is down, and another member claims its uid.
  const liar = await member({ uid: "east", pools: [{ namespace: "ml", name: "evil" }] });
  await east.close();
  const second = await controller(
    [
      { name: "a-liar", cluster: liar },
      { name: "east", cluster: east },
      { name: "west", cluster: west },
    ],
    elected,
  );
  await expect
    .poll(() => second.program.log(), busy)
    .toMatch(/member refused.*a-liar|a-liar.*is the same cluster as east/);
  await expect.poll(() => second.program.log(), busy).toMatch(/"leading"/);
  await sleep(1_000);
  expect(west.imports()).toEqual(["ml/llama"]);
  expect(west.exportersOf("ml/llama")).toEqual(["east"]);
  expect(await noted()).toEqual({ "a-liar": "liar", east: "east", west: "west" });
}, 90_000);

it("B4: a member exports only the pools that the set allows, and at most maxExports", async () => {
  const east = await member({ uid: "east", pools: [pool], namespaces: ["ml", "own"] });
  const west = await member({ uid: "west", namespaces: ["ml", "own"] });
  const hostile = await member({
    uid: "hostile",
    namespaces: ["ml", "own"],
    pools: [
      { ...pool, address: "10.66.0.1" },
      ...Array.from({ length: 150 }, (_, at) => ({
        ...{ namespace: at < 50 ? "kube-system" : "own", name: `p-${at}` },
        created: `2026-01-01T00:00:${String(at % 60).padStart(2, "0")}Z`,
      })),
      // Values that an API server would refuse: in paths, or in a status that others write.
      { namespace: "own", name: "../../../api/v1/namespaces" },
      { namespace: "own", name: "poison", targetPort: 99_999, created: "2025-01-01T00:00:00Z" },
    ],
  });
  const policy = { exports: [{ namespace: "ml", pools: ["llama"] }], networks: ["10.4.0.0/16"] };
  await controller([
    { name: "hostile", cluster: hostile, policy: { maxExports: 20 } },
    { name: "east", cluster: east, policy },
    { name: "west", cluster: west },
  ]);
  await expect.poll(() => west.imports().length, busy).toBeGreaterThan(10);
  await sleep(1_000);
  const imports = west.imports();
  expect(imports.filter((key) => key.startsWith("kube-"))).toEqual([]);
  expect(imports.length).toBeLessThanOrEqual(21);
  expect(imports.filter((key) => key.includes(".."))).toEqual([]);
  expect(west.exportersOf("ml/llama")).toEqual(["east"]);
  expect(hostile.exported("ml/llama")).toMatchObject({
    status: "False",
    reason: "NotAllowed",
    message: "ml/llama is reserved for east; add it to exports of hostile too",
  });
  await expect
    .poll(() => hostile.exported("kube-system/p-0"), busy)
    .toMatchObject({ reason: "NotAllowed" });
  expect(east.exported("ml/llama")?.reason).toBe("Exported");
}, 60_000);

it("B4: a member with malformed objects does not block the export of a name by another member", async () => {
  const metadata = { namespace: "ml", name: "llama", uid: "u", resourceVersion: "1" };
  const shapeless = [
    { metadata, status: { conditions: [null] } },
    { metadata, status: { clusters: [null], controllers: [{}] } },
    { metadata: { ...metadata, labels: [], uid: {} } },
  ];
  const liars = await Promise.all(
    shapeless.map((item, at) =>
      member({
        uid: `liar-${at}`,
        instead: (request, response, url) => {
          if (!isList(request, url, "inferencepoolimports")) return false;
          response.end(JSON.stringify({ metadata: { resourceVersion: "1" }, items: [item] }));
          return true;
        },
      }),
    ),
  );
  const east = await member({ uid: "east", pools: [pool] });
  const west = await member({ uid: "west" });
  const { program } = await controller([
    ...liars.map((cluster, at) => ({ name: `liar-${at}`, cluster })),
    { name: "east", cluster: east },
    { name: "west", cluster: west },
  ]);
  await expect.poll(() => west.exportersOf("ml/llama"), busy).toEqual(["east"]);
  expect(program.log()).not.toMatch(/not planned/);
}, 60_000);
