import { mkdtempSync, rmSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, credentials, status } from "@grpc/grpc-js";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mergePatchType } from "../../kubernetes/api/patch-types.ts";
import { planPool } from "../../sdk/plan/pools/pool.ts";
import { parseKind } from "../../sdk/validate/spec-kind.ts";
import { inferencePoolSpecKind } from "../../sdk/validate/spec-kinds.ts";
import { startCluster } from "../../testing/api/api-server.ts";
import type { Cluster } from "../../testing/api/cluster.ts";
import { installOwnCrds } from "../../testing/api/install-crds.ts";
import { upstreamCrds } from "../../testing/api/upstream-crds.ts";
import { connectExtProc } from "../../testing/ext-proc/client.ts";
import { headerMap, processMethod } from "../../testing/ext-proc/messages.ts";
import { collectionPath } from "../../testing/object-path.ts";
import { type CuttableProxy, startCuttableProxy } from "../../testing/proxies/cuttable-proxy.ts";
import { type LiveTraffic, startLiveTraffic } from "../../testing/traffic/live-traffic.ts";

/** Faults around a serving picker: the API server, kinds, pods, metrics, clients. */

const namespace = "default";
const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-faults-"));
const network = `127.${200 + (process.pid % 50)}.7`;

let cluster: Cluster;
let proxy: CuttableProxy;
let traffic: LiveTraffic;

beforeAll(async () => {
  cluster = await startCluster({
    crds: await upstreamCrds(["inference.networking.k8s.io", "gateway.networking.k8s.io"]),
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
    mergePatchType,
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

/** Returns a page that the picker serves to operators. */
async function page(name: "metrics" | "debug/state"): Promise<string> {
  const [picker] = traffic.pickers.values();
  return (await fetch(`http://127.0.0.1:${picker?.ports.metrics}/${name}`)).text();
}

async function known(): Promise<string[]> {
  const state = JSON.parse(await page("debug/state")) as { endpoints: Array<{ id: string }> };
  return state.endpoints.map(({ id }) => id).sort();
}

describe("the API server", () => {
  it("is unreachable for 2 s: every request is served, and missed changes are read afterwards", async () => {
    const before = await known();
    await proxy.cut();
    const failures: unknown[] = [];
    const until = Date.now() + 2_000;
    for (let sent = 0; sent < 50 || Date.now() < until; sent += 1)
      await ask().catch((error: unknown) => failures.push(error));
    expect(failures).toEqual([]);
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

  it("gets a CRD after the picker's start: objects of its kind take effect without a restart", async () => {
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
    const objectives = "/apis/llm-d.ai/v1alpha2/namespaces/default/inferenceobjectives";
    const objective = {
      apiVersion: "llm-d.ai/v1alpha2",
      kind: "InferenceObjective",
      metadata: { name: "urgent" },
      spec: { poolRef: { name: "qwen" }, priority: 7 },
    };
    await cluster.request("POST", objectives, objective);
    const urgent = async () => {
      await post('{"model":"base","prompt":"a","max_tokens":1}', {
        "x-llm-d-inference-objective": "urgent",
      });
      return (await page("metrics")).includes('priority="7"');
    };
    await expect.poll(urgent, { timeout: 30_000 }).toBe(true);
  }, 60_000);
});

describe("pods", () => {
  it("a pod that is deleted during a response ends it and gets no further requests", async () => {
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

  it("pods whose metrics page hangs or contains garbage still serve", async () => {
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

/** Bytes with some of them replaced, left out, doubled or cut off. */
const mutated = (bytes: Uint8Array) =>
  fc
    .array(fc.tuple(fc.nat(), fc.nat(3), fc.uint8Array({ maxLength: 3 })), {
      minLength: 1,
      maxLength: 3,
    })
    .map((edits) =>
      edits.reduce((list, [place, length, by]) => {
        const at = place % (list.length + 1);
        return Uint8Array.from([...list.subarray(0, at), ...by, ...list.subarray(at + length)]);
      }, Uint8Array.from(bytes)),
    );

const latin1 = (text: string) => new Uint8Array(Buffer.from(text, "latin1"));

describe("clients", () => {
  it.each([
    ["JSON that ends too early", '{"model":"base","prompt":"Hel', 400],
    ["no JSON", "hello", 400],
    ["no UTF-8", new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]), 400],
    ["a prompt that is not UTF-8", latin1('{"model":"base","prompt":"\xe9"}'), 400],
    ["a model that is not a string", '{"model":7,"prompt":"a"}', 400],
  ])("clients that send %s get an error, and other clients are served", async (_, body, status) => {
    expect((await post(body)).status).toBe(status);
    expect((await ask()).choices).toHaveLength(1);
  });

  it("a request with changed bytes in its body is served or gets 400 or 404", async () => {
    const body = new TextEncoder().encode(
      '{"model":"base","prompt":["a","\\u00e9"],"max_tokens":1}',
    );
    const answers = await Promise.all(
      fc
        .sample(mutated(body), 200)
        .map(async (bytes) => [(await post(bytes)).status, Buffer.from(bytes).toString("latin1")]),
    );
    const statuses = answers.map(([code]) => code);
    expect(statuses).toContain(200);
    expect(statuses).toContain(400);
    // A changed model is none that a server has.
    expect(answers.filter(([code]) => ![200, 400, 404].includes(Number(code)))).toEqual([]);
  }, 30_000);

  it("may send a prompt of 5 MB", async () => {
    const prompt = "x".repeat(5_000_000);
    const response = await post(JSON.stringify({ model: "base", prompt, max_tokens: 1 }));
    expect(response.status).toBe(200);
  }, 30_000);

  it("a request with a body above the picker's limit gets 413 and the limit", async () => {
    const answer = await new Promise<string>((resolve, reject) => {
      const request = httpRequest(`${traffic.envoy.url}/v1/completions`, { method: "POST" });
      request.on("response", async (response) => {
        resolve(`${response.statusCode} ${await text(response)}`);
        request.destroy();
      });
      request.on("error", reject);
      const chunk = Buffer.alloc(2 ** 20, " ");
      const write = () => {
        while (request.write(chunk));
      };
      request.on("drain", write);
      write();
    });
    expect(answer).toMatch(/^413 .*larger than 16777216 bytes/);
    expect((await ask()).choices).toHaveLength(1);
  }, 60_000);

  it("clients that disconnect within a request body leave no open stream", async () => {
    const open = async () =>
      Number(/^llm_d_epp_extproc_streams_inflight (\d+)$/m.exec(await page("metrics"))?.[1]);
    const requests = Array.from({ length: 20 }, () => {
      const headers = { "content-type": "application/json", "content-length": 1_000 };
      const url = `${traffic.envoy.url}/v1/completions`;
      const request = httpRequest(url, { method: "POST", headers });
      request.on("error", () => {});
      request.write('{"model":"base","prompt":"');
      return request;
    });
    await expect.poll(open, { timeout: 10_000 }).toBe(20);
    for (const request of requests) request.destroy();
    await expect.poll(open, { timeout: 10_000 }).toBe(0);
  }, 30_000);

  it("malformed messages end only their own stream", async () => {
    const [picker] = traffic.pickers.values();
    const client = new Client(
      `127.0.0.1:${picker?.ports.grpc}`,
      credentials.createSsl(null, null, null, { rejectUnauthorized: false }),
      { "grpc.ssl_target_name_override": "picker" },
    );
    const message = processMethod.requestSerialize({
      requestHeaders: { headers: headerMap({ ":path": "/v1/models" }), endOfStream: true },
    });
    const same = (bytes: Buffer) => bytes;
    // SEED replays what a failure names.
    const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
    const ends = fc.sample(mutated(message), { seed, numRuns: 200 }).map(
      (bytes) =>
        new Promise((resolve) => {
          const call = client.makeBidiStreamRequest(processMethod.path, same, same);
          call
            .on("data", () => {})
            .on("error", () => {})
            .on("status", ({ code }) => resolve(code));
          call.write(Buffer.from(bytes));
          call.end();
        }),
    );
    const codes = await Promise.all(ends);
    client.close();
    expect([...new Set(codes)].sort(), `SEED=${seed}`).toEqual([status.OK, status.INTERNAL]);
    expect((await ask()).choices).toHaveLength(1);
  }, 30_000);

  it("may send headers of 1 MB if their proxy accepts them", async () => {
    const headers = { "x-large": "x".repeat(2 ** 20) };
    // Envoy itself refuses them by default.
    const refused = await post('{"model":"base","prompt":"a"}', headers).catch(() => undefined);
    expect(refused?.status ?? 431).toBe(431);
    const [picker] = traffic.pickers.values();
    const client = connectExtProc(`127.0.0.1:${picker?.ports.grpc}`, { tls: true });
    try {
      const stream = client.open();
      stream.requestHeaders({ ":method": "POST", ":path": "/v1/completions", ...headers });
      stream.requestBody('{"model":"base","prompt":"a"}', { endOfStream: true });
      const { setHeaders } = await stream.next();
      expect(setHeaders["x-gateway-destination-endpoint"]).toMatch(/:8000$/);
    } finally {
      client.close();
    }
  });
});
