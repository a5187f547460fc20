import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { selfSignedCertificate } from "../../runtime/manager/tls/self-signed.ts";
import { planImportedPool } from "../../sdk/plan/multi-cluster/imported-pool.ts";
import { parseKind } from "../../sdk/validate/spec-kind.ts";
import { importedPoolSpecKind } from "../../sdk/validate/spec-kinds.ts";
import { writeClientCertificate } from "../../testing/api/client-certificate.ts";
import { findEnvoy } from "../../testing/envoy/install.ts";
import type { HttpRoute } from "../../testing/envoy/start.ts";
import { freePorts } from "../../testing/processes/free-ports.ts";
import { loseUnderLoad } from "./cluster-loss.ts";
import {
  type ExportingCluster,
  type ExportingClusterOptions,
  startExportingCluster,
} from "./exporting-cluster.ts";
import {
  type ImportingCluster,
  type ImportingOptions,
  type KnownCluster,
  startImportingCluster,
} from "./importing-cluster.ts";
import { loseAndReturn, loseAtRandom } from "./random-losses.ts";
import { rewriteOf } from "./stack.ts";
import { completion, send, startLoad, startRate } from "./steady-load.ts";

/** OpenAI's client through real Envoys to pools of other clusters, each request sent there by the picker of an import. */

beforeAll(async () => {
  await findEnvoy();
}, 300_000);

const ofTest: Array<{ stop(): Promise<unknown> }> = [];
const ofGroup: Array<{ stop(): Promise<unknown> }> = [];
const stopAll = async (running: typeof ofTest) => {
  for (const each of running.splice(0).reverse()) await each.stop();
};
afterEach(() => stopAll(ofTest));

async function importingSecurely(options: ImportingOptions): Promise<ImportingCluster> {
  const args = ["--import-selection=health-based", ...(options.args ?? [])];
  const started = await startImportingCluster({ ...options, args });
  ofTest.push(started);
  return started;
}

const importing = ({ args = [], ...options }: ImportingOptions): Promise<ImportingCluster> =>
  importingSecurely({ ...options, args: ["--remote-plaintext", ...args] });

async function exporting(...clusters: ExportingClusterOptions[]): Promise<ExportingCluster[]> {
  const started = await Promise.all(clusters.map(startExportingCluster));
  ofGroup.push(...started);
  return started;
}

/** A picker that has just started reports no endpoints: its cluster is ranked last until the next reading. */
const allServe = (clusters: readonly KnownCluster[]) =>
  clusters.every(({ usable, isEmpty }) => usable && !isEmpty);
const isUsable = (name: string) => (clusters: readonly KnownCluster[]) =>
  clusters.some((cluster) => cluster.name === name && cluster.usable);

/** Returns the requests that each cluster served in the meantime. */
async function servedDuring(
  clusters: readonly ExportingCluster[],
  during: () => Promise<unknown>,
): Promise<number[]> {
  const before = clusters.map((cluster) => cluster.served());
  await during();
  return clusters.map((cluster, at) => cluster.served() - (before[at] as number));
}

/** Within four standard deviations of a binomial distribution. */
function expectShare(count: number, total: number, share: number): void {
  const deviation = Math.sqrt(total * share * (1 - share));
  expect(Math.abs(count - total * share)).toBeLessThanOrEqual(4 * deviation);
}

/** Starts `count` streamed answers. Resolves when all have begun; returns how each ends. */
async function startAnswers(client: ImportingCluster["client"], count: number) {
  let begun = 0;
  const all = Promise.all(
    Array.from({ length: count }, async () => {
      try {
        const stream = await client.completions.create({
          ...{ model: "base", prompt: "Hello.", max_tokens: 90, stream: true },
        });
        let last: string | null | undefined;
        for await (const { choices } of stream) {
          if (last === undefined) begun += 1;
          last = choices[0]?.finish_reason ?? null;
        }
        return last;
      } catch (error) {
        return (error as Error).message;
      }
    }),
  );
  await expect.poll(() => begun, { timeout: 20_000 }).toBe(count);
  return () => all;
}

describe("pods of other clusters", () => {
  let east: ExportingCluster;
  let west: ExportingCluster;
  beforeAll(async () => {
    [east, west] = (await exporting(
      { name: "east", servers: 1, objects: [rewriteOf("alias", "target")] },
      { name: "west", servers: 3, objects: [rewriteOf("alias", "target")] },
    )) as [ExportingCluster, ExportingCluster];
  });
  afterAll(() => stopAll(ofGroup));

  it("return the same responses as their own pool, for chats, streams and rewritten models", async () => {
    const { client } = await importing({ clusters: [east, west] });
    const messages = [{ role: "user" as const, content: "hi" }];
    const ask = { model: "alias", max_tokens: 3, messages };
    for (const name of ["east", "west"]) {
      // Until both had their turn.
      const cluster = name === "east" ? east : west;
      const before = cluster.served();
      while (cluster.served() === before) {
        const answer = await client.chat.completions.create(ask);
        expect(answer).toMatchObject({ model: "alias", usage: { completion_tokens: 3 } });
        expect(answer.choices[0]?.message.content).toBe("the quick brown ");
        const stream = await client.chat.completions.create({ ...ask, stream: true });
        const words: string[] = [];
        for await (const { choices } of stream) words.push(choices[0]?.delta.content ?? "");
        expect(words.join("")).toBe("the quick brown ");
      }
    }
    const models = [east, west].flatMap(({ servers }) =>
      servers.flatMap(({ served }) => served.map(({ model }) => model)),
    );
    expect(new Set(models)).toEqual(new Set(["target"]));
  });

  it("finish 50 running answers when the import's picker is rolled out and the pool's picker is killed", async () => {
    const slow = await startExportingCluster({
      ...{ name: "slow", servers: 1 },
      server: { stepMs: 30, stepMsPerSequence: 0, maxSequences: 100 },
    });
    ofTest.push(slow);
    const { client, picker, clusters } = await importing({ clusters: [slow] });
    await clusters(allServe);
    const answers = await startAnswers(client, 50);
    // The pickers of both clusters have left before the answers are there.
    process.kill(slow.picker.pid, "SIGKILL");
    await picker.stop(30_000);
    expect(await answers()).toEqual(Array.from({ length: 50 }, () => "length"));
  });

  it("pods of other clusters get requests by capacity with metric-based selection, and equally per cluster with health-based selection", async () => {
    const byMetric = await importing({
      clusters: [east, west],
      args: ["--import-selection=metric-based"],
    });
    await byMetric.clusters((clusters) => clusters.every(({ load }) => load !== undefined));
    const [, three] = await servedDuring([east, west], () => send(byMetric.client, 400));
    expectShare(three as number, 400, 3 / 4);

    const byHealth = await importing({ clusters: [east, west] });
    const [, half] = await servedDuring([east, west], () => send(byHealth.client, 400));
    expectShare(half as number, 400, 1 / 2);
  });

  it("pods of the local cluster come first", async () => {
    const { client } = await importing({
      clusters: [east, west],
      args: ["--local-cluster=west", "--import-preference=PreferLocal"],
    });
    expect(await servedDuring([east, west], () => send(client, 50))).toEqual([0, 50]);
  });

  it("pods of other clusters change with the import", async () => {
    const { client, use, clusters } = await importing({ clusters: [east] });
    expect(await servedDuring([east, west], () => send(client, 20))).toEqual([20, 0]);
    await use([west]);
    await clusters(([only]) => only?.name === "west");
    expect(await servedDuring([east, west], () => send(client, 20))).toEqual([0, 20]);
    await use([
      { entry: { ...west.entry, conditions: [{ type: "Ready", status: "False" }] } },
      east,
    ]);
    await clusters((known) => known.length === 2);
    expect(await servedDuring([east, west], () => send(client, 20))).toEqual([20, 0]);
  });

  it("pods of other clusters get no requests while their cluster is killed, and again after the failback delay", async () => {
    const failBack = 1_500;
    const from = await importing({
      clusters: [east, west],
      args: [
        ...["--import-selection=active-passive", "--import-order=east,west"],
        `--import-failback-delay=${failBack}ms`,
      ],
    });
    await loseUnderLoad(from, east, () => east.kill());
    const load = startLoad(from.client, 4);
    await load.answered(50);
    const revivedAt = Date.now();
    await east.revive();
    await from.clusters(isUsable("east"));
    expect(Date.now() - revivedAt).toBeGreaterThanOrEqual(failBack);
    await load.answered(50);
    expect((await load.stop()).filter(({ error }) => error !== undefined)).toEqual([]);
    expect(await servedDuring([east, west], () => send(from.client, 50))).toEqual([50, 0]);
  });

  it("pods of other clusters get no requests while their picker hangs", async () => {
    const from = await importing({
      clusters: [east, west],
      args: ["--import-failback-delay=200ms"],
    });
    await loseUnderLoad(from, west, async () => void process.kill(west.picker.pid, "SIGSTOP"));
    process.kill(west.picker.pid, "SIGCONT");
    await from.clusters(allServe);
    const [, back] = await servedDuring([east, west], () => send(from.client, 50));
    expect(back).toBeGreaterThan(0);
  });
});

it("three clusters that are lost at random, seed 5, fail only the requests that they were serving", async () => {
  const clusters = await exporting({ name: "a" }, { name: "b" }, { name: "c" });
  const from = await importing({ clusters, args: ["--import-failback-delay=200ms"] });
  await from.clusters(allServe);
  await loseAtRandom(from, clusters, { seed: 5, rounds: 4 });
  await stopAll(ofTest);
  await stopAll(ofGroup);
});

describe("gateways of other clusters", () => {
  let east: ExportingCluster;
  let west: ExportingCluster;
  beforeAll(async () => {
    [east, west] = (await exporting(
      { name: "east", mode: "ParentMode" },
      { name: "west", mode: "ParentMode" },
    )) as [ExportingCluster, ExportingCluster];
  });
  afterAll(() => stopAll(ofGroup));

  it("gateways of other clusters have their own picker choose the pod", async () => {
    const { client, envoy, clusters } = await importing({ clusters: [east, west] });
    await clusters(allServe);
    const [, half] = await servedDuring([east, west], () => send(client, 400));
    expectShare(half as number, 400, 1 / 2);
    const stream = await client.chat.completions.create({
      ...{ model: "base", max_tokens: 3, stream: true },
      messages: [{ role: "user", content: "hi" }],
    });
    const words: string[] = [];
    for await (const { choices } of stream) words.push(choices[0]?.delta.content ?? "");
    expect(words.join("")).toBe("the quick brown ");

    const gateways = [east, west].map(({ gateway }) => `127.0.0.1:${gateway?.port}`);
    const here = await envoy.accessLog(401);
    expect(new Set(here.map(({ upstream }) => upstream))).toEqual(new Set(gateways));
    const there = (await east.gateway?.accessLog(1)) ?? [];
    const pods = east.servers.map(({ address }) => address);
    expect(pods).toEqual(expect.arrayContaining(there.map(({ upstream }) => upstream)));
  });

  it("gateways of other clusters, two Envoys in a row, get no requests while their cluster is killed, and again when it is back", async () => {
    const from = await importing({
      clusters: [east, west],
      args: ["--import-failback-delay=200ms"],
    });
    await from.clusters(allServe);
    await loseUnderLoad(from, east, () => east.kill());
    await east.revive();
    await from.clusters(allServe);
    const [back] = await servedDuring([east, west], () => send(from.client, 50));
    expect(back).toBeGreaterThan(0);
  });

  it("gateways of other clusters get no requests while their model servers are gone or their picker hangs", async () => {
    const from = await importing({
      clusters: [east, west],
      args: ["--import-failback-delay=200ms", "--parent-probe-path=/v1/models"],
    });
    await from.clusters(allServe);
    for (const name of ["servers", "pickerHangs"] as const)
      await loseAndReturn(from, [east, west], west, name, () => startRate(from.client, 100));
  }, 120_000);

  it("gateways of other clusters share requests equally with pods of a cluster that exports in another mode", async () => {
    const [north] = (await exporting({ name: "north" })) as [ExportingCluster];
    const from = await importing({ clusters: [east, north] });
    await from.clusters(allServe);
    const [, half] = await servedDuring([east, north], () => send(from.client, 200));
    expectShare(half as number, 200, 1 / 2);
  });
});

it("gateways of other clusters in TLS are verified, and probed with a request that reaches a model server", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-gateway-tls-"));
  const { cert, key } = selfSignedCertificate("gw.example", new Date());
  const caFile = join(folder, "tls.crt");
  writeFileSync(caFile, cert);
  writeFileSync(join(folder, "tls.key"), key);
  const inTls = { mode: "ParentMode", gatewayCertificate: folder } as const;
  const [east, west] = (await exporting(
    { name: "east", ...inTls },
    { name: "west", ...inTls },
  )) as [ExportingCluster, ExportingCluster];
  const looking = (...args: string[]) =>
    importing({
      ...{ clusters: [east, west], backendTls: { caFile, hostname: "gw.example" } },
      args: ["--import-failback-delay=200ms", `--parent-ca-file=${caFile}`, ...args],
    });
  const from = await looking("--parent-server-name=gw.example", "--parent-probe-path=/v1/models");
  await from.clusters(allServe);
  const shares = await servedDuring([east, west], () => send(from.client, 50));
  expect(Math.min(...shares)).toBeGreaterThan(0);
  // Its gateway answers, and has nothing to serve with.
  await east.setPods(false);
  await from.clusters((known) => known.some(({ name, usable }) => name === "east" && !usable));
  await expect.poll(() => from.picker.log()).toContain("GET /v1/models returned status 503");
  expect(await servedDuring([east, west], () => send(from.client, 20))).toEqual([0, 20]);
  await east.setPods(true);
  await from.clusters(allServe);
  const [back] = await servedDuring([east, west], () => send(from.client, 50));
  expect(back).toBeGreaterThan(0);

  const other = await looking("--parent-server-name=other.example");
  await other.clusters((known) => known.every(({ usable }) => !usable));
  await expect.poll(() => other.picker.log()).toContain("not for other.example");
  await stopAll(ofTest);
  await stopAll(ofGroup);
  rmSync(folder, { recursive: true, force: true });
});

describe("two clusters that send requests to each other's gateways", () => {
  const asParent = (name: string, { envoy }: ImportingCluster) => ({
    entry: {
      ...{ name, routingMode: "ParentMode", targetPortNumber: 8000 },
      parents: [
        {
          ...{ name: "gateway", namespace: "default" },
          service: [
            { type: "LoadBalancer", addresses: ["127.0.0.1"], ports: [{ number: envoy.port }] },
          ],
        },
      ],
    },
  });
  const sendToEachOther = async (a: ImportingCluster, b: ImportingCluster) => {
    await a.use([asParent("b", b)]);
    await b.use([asParent("a", a)]);
    await a.clusters(isUsable("b"));
    await b.clusters(isUsable("a"));
  };

  it("serve a forwarded request from the local pool, by the planned route", async () => {
    const objects = planImportedPool(
      parseKind(importedPoolSpecKind, {
        metadata: { name: "pool", namespace: "default" },
        spec: { picker: {}, local: { weight: 0 }, parentRefs: [{ name: "gateway" }] },
      }),
    );
    const named = (kind: string) => objects.find((object) => object.kind === kind);
    const [east, west] = (await exporting({ name: "east" }, { name: "west" })) as [
      ExportingCluster,
      ExportingCluster,
    ];
    const [a, b] = (await Promise.all(
      [east, west].map(({ local }) =>
        importing({
          ...{ clusters: [], local, route: named("HTTPRoute") as HttpRoute },
          importedAs: named("InferencePool") as NonNullable<ImportingOptions["importedAs"]>,
        }),
      ),
    )) as [ImportingCluster, ImportingCluster];
    await sendToEachOther(a, b);
    expect(await servedDuring([east, west], () => send(a.client, 20))).toEqual([0, 20]);
    expect(await servedDuring([east, west], () => send(b.client, 20))).toEqual([20, 0]);
    await stopAll(ofGroup);
  });

  it("refuse a forwarded request instead of sending it back", async () => {
    const [a, b] = [await importing({ clusters: [] }), await importing({ clusters: [] })];
    await sendToEachOther(a, b);
    await expect(completion(a.client)).rejects.toThrow(
      /503 .*another cluster has already forwarded the request \(x-inference-import-hops: 1\)/,
    );
    expect(await a.envoy.accessLog(1)).toHaveLength(1);
    expect(await b.envoy.accessLog(1)).toHaveLength(1);
    // A client that sends the header keeps its request where it is.
    const before = (await b.envoy.accessLog(1)).length;
    const headers = { "x-inference-import-hops": "7" };
    await expect(a.client.get("/models", { headers })).rejects.toThrow(/hops: 7/);
    expect(await b.envoy.accessLog(before)).toHaveLength(before);
  });
});

describe("a route to the local pool and the import", () => {
  let here: ExportingCluster;
  let elsewhere: ExportingCluster;
  beforeAll(async () => {
    [here, elsewhere] = (await exporting({ name: "here" }, { name: "elsewhere" })) as [
      ExportingCluster,
      ExportingCluster,
    ];
  });
  afterAll(() => stopAll(ofGroup));

  it.each([
    [50, 50],
    [10, 90],
  ])("splits requests by weight, %i to %i", async (local, weight) => {
    const spec = { gateway: { acceptsImports: true }, local: { weight: local }, weight };
    const [route] = planImportedPool(
      parseKind(importedPoolSpecKind, {
        metadata: { name: "pool", namespace: "default" },
        spec: { ...spec, parentRefs: [{ name: "gateway" }] },
      }),
    );
    const { client } = await importing({
      clusters: [elsewhere],
      local: here.local,
      route: route as HttpRoute,
    });
    const shares = await servedDuring([here, elsewhere], () => send(client, 400));
    expect(shares.reduce((a, b) => a + b)).toBe(400);
    expectShare(shares[0] as number, 400, local / (local + weight));
  });
});

describe("without the other clusters", () => {
  let east: ExportingCluster;
  beforeAll(async () => {
    [east] = (await exporting({
      ...{ name: "east", server: { stepMs: 20 } },
      objects: [rewriteOf("alias", "target")],
    })) as [ExportingCluster];
  });
  afterAll(() => stopAll(ofGroup));

  it("an answer with a rewritten model name ends with an error when its picker dies", async () => {
    const { client } = await importing({ clusters: [east] });
    const stream = await client.completions.create({
      ...{ model: "alias", prompt: "hi", max_tokens: 200, stream: true },
    });
    let chunks = 0;
    const reading = (async () => {
      for await (const _ of stream) {
        chunks += 1;
        if (chunks === 3) process.kill(east.picker.pid, "SIGKILL");
      }
    })();
    await expect(reading).rejects.toThrow();
    expect(chunks).toBeLessThan(200);
    await east.revive();
  });

  it("requests are sent to a cluster with condition Ready if only its health checks fail", async () => {
    const [port] = await freePorts(1);
    const { endpointPicker } = east.entry as { endpointPicker: object };
    const unseen = { ...east.entry, endpointPicker: { ...endpointPicker, health: { port } } };
    const ready = (status: string) => ({ ...unseen, conditions: [{ type: "Ready", status }] });
    const from = await importing({ clusters: [{ entry: ready("True") }] });
    await from.clusters(([only]) => only?.usable === false);
    expect(await servedDuring([east], () => send(from.client, 10))).toEqual([10]);
    expect(from.picker.log()).toContain("no cluster responds");
    await from.use([{ entry: ready("False") }]);
    await from.clusters(([only]) => only?.ready === "False");
    await expect(completion(from.client)).rejects.toThrow(/^503/);
  });

  it("requests are refused with the reason, whatever the failure mode", async () => {
    await east.kill();
    const from = await importing({ clusters: [east] });
    for (const failureMode of ["FailClose", "FailOpen"] as const) {
      const gateway = await from.gatewayOf(failureMode);
      ofTest.push(gateway);
      const response = await fetch(`${gateway.url}/v1/completions`, {
        method: "POST",
        body: JSON.stringify({ model: "base", prompt: "hi" }),
      });
      expect(response.status).toBe(503);
      expect(await response.text()).toContain(
        "no cluster of InferencePoolImport default/pool can serve the request",
      );
    }
  });
});

describe("pickers in TLS", () => {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-import-tls-"));
  const caFile = join(folder, "tls.crt");
  let east: ExportingCluster;
  beforeAll(async () => {
    const { cert, key } = selfSignedCertificate("epp.default.svc", new Date());
    writeFileSync(caFile, cert);
    writeFileSync(join(folder, "tls.key"), key);
    [east] = (await exporting({ name: "east", certificate: folder })) as [ExportingCluster];
  });
  afterAll(async () => {
    await stopAll(ofGroup);
    rmSync(folder, { recursive: true, force: true });
  });

  it.each([
    ["by a CA that is not known", [], "give --remote-ca-file"],
    [
      "for another name",
      [`--remote-ca-file=${caFile}`, "--remote-server-name=other.example"],
      "not for other.example",
    ],
  ])("pickers in TLS get no request with a certificate %s", async (_, args, told) => {
    const from = await importingSecurely({ clusters: [east], args });
    await from.clusters(([only]) => only?.usable === false);
    await expect(completion(from.client)).rejects.toThrow(/^503/);
    expect(from.picker.log()).toContain(told);
  });

  it.each([
    ["by a CA that is given", [`--remote-ca-file=${caFile}`], "serving"],
    ["unseen, loudly", ["--remote-insecure"], "pickers of other clusters are NOT verified"],
  ])("pickers in TLS get requests with a certificate %s", async (_, args, told) => {
    const from = await importingSecurely({ clusters: [east], args });
    expect(await servedDuring([east], () => send(from.client, 5))).toEqual([5]);
    expect(from.picker.log()).toContain(told);
  });

  it("pickers in TLS that require a client certificate accept only pickers that have one", async () => {
    const clientFolder = mkdtempSync(join(folder, "client-"));
    const { cert } = writeClientCertificate(clientFolder);
    const [strict] = (await exporting({
      name: "strict",
      certificate: folder,
      args: [`--client-ca-file=${cert}`],
    })) as [ExportingCluster];
    const args = [`--remote-ca-file=${caFile}`];
    const known = await importingSecurely({
      clusters: [strict],
      args: [...args, `--remote-cert-path=${clientFolder}`],
    });
    expect(await servedDuring([strict], () => send(known.client, 5))).toEqual([5]);
    const unknown = await importingSecurely({ clusters: [strict], args });
    await unknown.clusters(([only]) => only?.usable === false);
    await expect(completion(unknown.client)).rejects.toThrow(/^503/);
    expect(unknown.picker.log()).toContain("give --remote-cert-path");
  });
});
