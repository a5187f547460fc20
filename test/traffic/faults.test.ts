import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { planPool } from "../../sdk/plan/pool.ts";
import { inferencePoolSpecKind } from "../../sdk/validate/pools.ts";
import { parseKind } from "../../sdk/validate/spec-kind.ts";
import { startCluster } from "../harness/api-server.ts";
import type { Cluster } from "../harness/cluster.ts";
import { type CuttableProxy, startCuttableProxy } from "../harness/cuttable-proxy.ts";
import { installCrds, installOwnCrds } from "../harness/install-crds.ts";
import { type LiveTraffic, startLiveTraffic } from "../harness/live-traffic.ts";
import { collectionPath } from "../harness/object-path.ts";

/** What goes wrong around a picker that serves: the API server, kinds, pods, metrics, clients. */

const namespace = "default";
const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-faults-"));
const network = `127.${200 + (process.pid % 50)}.7`;

let cluster: Cluster;
let proxy: CuttableProxy;
let traffic: LiveTraffic;

beforeAll(async () => {
  cluster = await startCluster();
  await installCrds(cluster, {
    groups: ["inference.networking.k8s.io", "gateway.networking.k8s.io"],
  });
  const plan = planPool(
    parseKind(inferencePoolSpecKind, {
      metadata: { name: "qwen" },
      spec: { selector: { app: "qwen" }, endpointPicker: { strategy: "queue-size" } },
    }),
  );
  for (const manifest of plan) await cluster.request("POST", collectionPath(manifest), manifest);
  await cluster.request(
    "POST",
    "/apis/gateway.networking.k8s.io/v1/namespaces/default/httproutes",
    {
      apiVersion: "gateway.networking.k8s.io/v1",
      kind: "HTTPRoute",
      metadata: { name: "qwen" },
      spec: {
        parentRefs: [{ name: "gw" }],
        rules: [
          {
            backendRefs: [
              { group: "inference.networking.k8s.io", kind: "InferencePool", name: "qwen" },
            ],
          },
        ],
      },
    },
  );
  for (const at of [1, 2, 3]) await writePod(at);
  proxy = await startCuttableProxy(Number(new URL(cluster.url).port));
  traffic = await startLiveTraffic({
    kubeconfig: cluster.kubeconfig,
    namespace,
    folder,
    apiServer: `https://127.0.0.1:${proxy.port}`,
    serverOf: () => ({
      adapters: ["v1"],
      model: "base",
      stepMs: 2,
      adapterLoadMs: 1,
      prefillTokensPerSecond: 1e7,
    }),
  });
}, 180_000);
afterAll(async () => {
  await traffic?.stop();
  await proxy?.stop();
  await cluster?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const pods = `/api/v1/namespaces/${namespace}/pods`;

async function writePod(at: number): Promise<void> {
  const name = `qwen-${at}`;
  await cluster.request("POST", pods, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { app: "qwen" } },
    spec: { containers: [{ name: "vllm", image: "vllm" }], nodeName: "n" },
  });
  const ready = { type: "Ready", status: "True" };
  await cluster.request(
    "PATCH",
    `${pods}/${name}/status`,
    { status: { phase: "Running", podIP: `${network}.${at}`, conditions: [ready] } },
    "application/merge-patch+json",
  );
}

const ask = (model = "base", maxTokens = 1) =>
  traffic.client.completions.create({ model, prompt: "Hello.", max_tokens: maxTokens });

const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  fetch(`${traffic.envoy.url}/v1/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });

async function known(): Promise<string[]> {
  const [picker] = traffic.pickers.values();
  const page = await fetch(`http://127.0.0.1:${picker?.ports.metrics}/debug/state`);
  const { endpoints } = (await page.json()) as { endpoints: Array<{ id: string }> };
  return endpoints.map(({ id }) => id).sort();
}

describe("the API server", () => {
  it("goes away and comes back: requests go on, and what changed meanwhile is seen", async () => {
    const before = await known();
    await proxy.cut();
    const failures: unknown[] = [];
    const until = Date.now() + 2_000;
    let sent = 0;
    while (Date.now() < until) {
      await ask().catch((error: unknown) => failures.push(error));
      sent += 1;
    }
    expect({ failures, served: sent > 50 }).toEqual({ failures: [], served: true });
    expect(await known()).toEqual(before);
    await cluster.request("DELETE", `${pods}/qwen-3?gracePeriodSeconds=0`);
    await sleep(200);
    await proxy.restore();
    await expect
      .poll(known, { timeout: 20_000 })
      .toEqual(["default/qwen-1-rank-0", "default/qwen-2-rank-0"]);
    await writePod(3);
    await expect.poll(known, { timeout: 10_000 }).toEqual(before);
  }, 60_000);

  it("serves a kind later: its objects take effect without a restart", async () => {
    await expect(ask("alias")).rejects.toMatchObject({ status: 404 });
    await installOwnCrds(cluster);
    const apiVersion = "inference.networking.x-k8s.io/v1alpha2";
    await expect
      .poll(
        () =>
          cluster
            .request("POST", `/apis/${apiVersion}/namespaces/default/inferencemodelrewrites`, {
              apiVersion,
              kind: "InferenceModelRewrite",
              metadata: { name: "alias" },
              spec: {
                poolRef: { name: "qwen" },
                rules: [
                  { matches: [{ model: { value: "alias" } }], targets: [{ modelRewrite: "v1" }] },
                ],
              },
            })
            .then(() => true),
        { timeout: 10_000 },
      )
      .toBe(true);
    await expect
      .poll(async () => (await ask("alias").catch(() => undefined))?.model, { timeout: 30_000 })
      .toBe("alias");
  }, 60_000);
});

describe("pods", () => {
  it("that vanish in the middle of an answer end it, and nobody is sent there again", async () => {
    const stream = await traffic.client.completions.create({
      model: "base",
      prompt: "Tell me a story.",
      max_tokens: 5_000,
      stream: true,
    });
    let seen = 0;
    const read = async () => {
      for await (const chunk of stream) {
        seen += chunk.choices.length;
        if (seen === 3) {
          const busy = traffic.servers.find(({ server }) => server.running > 0);
          await cluster.request(
            "DELETE",
            `${pods}/${busy?.pod.metadata?.name}?gracePeriodSeconds=0`,
          );
          await busy?.server.stop();
        }
      }
    };
    await expect(read()).rejects.toThrow();
    await expect.poll(known, { timeout: 10_000 }).toHaveLength(2);
    for (let at = 0; at < 20; at += 1) expect((await ask()).choices).toHaveLength(1);
  }, 60_000);

  it("whose metrics hang or say nonsense still serve", async () => {
    const [first, second] = traffic.servers.filter(({ server }) => server.listening);
    if (first === undefined || second === undefined) throw new Error("two servers are left");
    first.server.metricsFault = "hang";
    second.server.metricsFault = "garbage";
    await sleep(1_500);
    for (let at = 0; at < 20; at += 1) expect((await ask()).choices).toHaveLength(1);
    first.server.metricsFault = undefined;
    second.server.metricsFault = undefined;
  }, 30_000);
});

describe("clients", () => {
  it.each([
    ["JSON that ends too early", '{"model":"base","prompt":"Hel', 400],
    ["no JSON", "hello", 400],
    ["no UTF-8", new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]), 400],
    ["a model that is no text", '{"model":7,"prompt":"a"}', 400],
  ])("that send %s get an error of their own", async (_, body, status) => {
    expect((await post(body)).status).toBe(status);
    expect((await ask()).choices).toHaveLength(1);
  });

  it("may send a prompt of 5 MB", async () => {
    const prompt = "x".repeat(5_000_000);
    const response = await post(JSON.stringify({ model: "base", prompt, max_tokens: 1 }));
    expect(response.status).toBe(200);
  }, 30_000);
});
