import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mergePatchType } from "../../kubernetes/api/patch-types.ts";
import { planInferenceRoute } from "../../sdk/plan/models/models.ts";
import { planLLMServerPool } from "../../sdk/plan/pools/pool.ts";
import { parseKind } from "../../sdk/validate/spec-kind.ts";
import { inferenceRouteSpecKind, llmServerPoolSpecKind } from "../../sdk/validate/spec-kinds.ts";
import { startCluster } from "../../testing/api/api-server.ts";
import type { Cluster } from "../../testing/api/cluster.ts";
import { crdsWithOwn } from "../../testing/api/install-crds.ts";
import { collectionPath } from "../../testing/object-path.ts";
import { type PickerProcess, startRuntime } from "../../testing/pods/picker-process.ts";
import { type LiveTraffic, startLiveTraffic } from "../../testing/traffic/live-traffic.ts";

/** Three pools behind one endpoint: the model router's own program, in front of a real Envoy and the planned pickers. */

const network = `127.${150 + (process.pid % 50)}.11`;
const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-model-router-"));
/** Adapters of the servers of each pool. They also have a base model that no request names. */
const adapters = { a: ["a-model", "v1"], b: ["v2"], c: ["c-1", "c-2"] };
const servicesPath = "/apis/inference.x-k8s.io/v1alpha1/namespaces/default/llmservices";

let cluster: Cluster;
let router: PickerProcess;
let traffic: LiveTraffic;

beforeAll(async () => {
  cluster = await startCluster({
    crds: await crdsWithOwn(["inference.networking.k8s.io", "gateway.networking.k8s.io"]),
  });
  for (const [at, name] of Object.keys(adapters).entries()) {
    for (const manifest of planLLMServerPool(
      parseKind(llmServerPoolSpecKind, {
        metadata: { name },
        // Names that a rewrite gives need no LLMService then.
        spec: { modelServerSelector: { app: name }, allowUnregisteredModels: true },
      }),
    ))
      await create(manifest);
    await writePod(name, `${network}.${at + 1}`);
  }
  await llmService("a", "a", ["a-model", "review"]);
  await llmService("b", "b", ["v2"]);
  await llmService("c", "c", ["c-1", "c-2"]);
  // The picker of pool a has this rule too.
  await create({
    apiVersion: "llm-d.ai/v1alpha2",
    kind: "InferenceModelRewrite",
    metadata: { name: "review", namespace: "default" },
    spec: {
      poolRef: { name: "a" },
      rules: [
        {
          matches: [{ model: { value: "review" } }],
          targets: [
            { modelRewrite: "v1", weight: 30 },
            { modelRewrite: "v2", weight: 70 },
          ],
        },
      ],
    },
  });
  const route = parseKind(inferenceRouteSpecKind, {
    metadata: { name: "models" },
    spec: {
      parentRefs: [{ name: "gateway" }],
      rules: [
        { model: "a-model", pools: [{ name: "a" }] },
        { model: "review", pools: [{ name: "a" }] },
        { model: "v2", pools: [{ name: "b" }] },
        { baseModel: "a-base", pools: [{ name: "a" }] },
        { baseModel: "b-base", pools: [{ name: "b" }] },
        { baseModel: "c-base", pools: [{ name: "c" }] },
      ],
    },
  });
  for (const manifest of planInferenceRoute(route)) await create(manifest);
  router = await startRuntime("model-router", {
    args: [
      ...["--grpc-port=0", "--health-port=0", "--metrics-port=0", "--metrics-endpoint-auth=false"],
      ...["--secure-serving=false", "--drain-timeout=0s", "--gateway=default/gateway"],
    ],
    // 10,000 models fit into a heap as small as this.
    env: { KUBECONFIG: cluster.kubeconfig, NODE_OPTIONS: "--max-old-space-size=96" },
  });
  traffic = await startLiveTraffic({
    ...{ kubeconfig: cluster.kubeconfig, namespace: "default", folder },
    serverOf: ({ metadata }) => ({
      adapters: adapters[metadata?.name as keyof typeof adapters],
      ...{ stepMs: 1, adapterLoadMs: 1, prefillTokensPerSecond: 1e8, maxRunning: 64 },
    }),
    gateway: { modelRouter: `127.0.0.1:${router.ports.grpc}` },
  });
}, 180_000);
afterAll(async () => {
  await traffic?.stop();
  await router?.stop();
  await cluster?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const soon = { timeout: 20_000, interval: 50 };

const create = (manifest: Parameters<typeof collectionPath>[0] & object) =>
  cluster.request("POST", collectionPath(manifest), manifest);

async function writePod(name: string, podIP: string): Promise<void> {
  const pods = "/api/v1/namespaces/default/pods";
  const metadata = { name, labels: { app: name } };
  const spec = { nodeName: "node", containers: [{ name: "c", image: "i" }] };
  await cluster.request("POST", pods, { apiVersion: "v1", kind: "Pod", metadata, spec });
  const conditions = [{ type: "Ready", status: "True" }];
  const status = { podIP, podIPs: [{ ip: podIP }], conditions };
  await cluster.request("PATCH", `${pods}/${name}/status`, { status }, mergePatchType);
}

/** Its models are Critical: no request is refused because a server is slow to say how full it is. */
const llmService = (name: string, pool: string, models: readonly string[]) =>
  create({
    apiVersion: "inference.x-k8s.io/v1alpha1",
    kind: "LLMService",
    metadata: { name, namespace: "default" },
    spec: {
      models: models.map((model) => ({ name: model, objective: {} })),
      poolRef: [{ name: pool }],
    },
  });

/** The route of a model on the router's page. */
async function known(model: string): Promise<unknown> {
  const page = await fetch(`http://127.0.0.1:${router.ports.metrics}/debug/models?model=${model}`);
  return ((await page.json()) as { route: unknown }).route;
}

/** Which pool served a request, and as which model. */
function servedBy(prompt: string): string {
  for (const { pod, server } of traffic.servers)
    for (const { model, body } of server.served)
      if (body.includes(JSON.stringify(prompt))) return `${pod.metadata?.name}/${model}`;
  return "nobody";
}

const complete = (model: string, prompt: string, headers: Record<string, string> = {}) =>
  traffic.client.completions.create({ model, prompt, max_tokens: 1 }, { headers });

it("the router knows the models of routes and pools", async () => {
  const of = (model: string, pool: string, more: object = {}) =>
    expect.poll(() => known(model), soon).toMatchObject({ pools: [`default/${pool}`], ...more });
  await of("c-2", "c", { baseModel: "c-base" });
  await of("review", "a", { targets: [{ model: "v1" }, { model: "v2" }] });
  await of("v2", "b");
});

describe("a request is sent to the pool of its model", () => {
  it.each([
    ["by a route for the model", "a-model", "a/a-model"],
    ["by another one", "v2", "b/v2"],
    ["by a route for the base model of its pool", "c-1", "c/c-1"],
    ["by the same for all of its models", "c-2", "c/c-2"],
  ])("%s", async (title, model, expected) => {
    const answer = await complete(model, title);
    expect([answer.model, servedBy(title)]).toEqual([model, expected]);
  });

  it("even if the client sends model headers of another pool", async () => {
    const headers = { "X-Gateway-Model-Name": "v2", "X-Gateway-Base-Model-Name": "c-base" };
    await complete("a-model", "forged", headers);
    expect(servedBy("forged")).toBe("a/a-model");
  });

  it("streamed, and with a body of 220 KB", async () => {
    const prompt = "ü".repeat(110_000);
    const stream = await traffic.client.completions.create({
      ...{ model: "c-1", prompt, max_tokens: 5, stream: true },
    });
    const words: string[] = [];
    for await (const { choices } of stream) words.push(choices[0]?.text ?? "");
    expect(words.filter((word) => word !== "").length).toBeGreaterThan(1);
    expect(servedBy(prompt)).toBe("c/c-1");
  });

  it("even if its body arrives slowly in small pieces", async () => {
    const [prompt, encoder] = ["in pieces", new TextEncoder()];
    const text = JSON.stringify({ prompt, max_tokens: 1, model: "v2" });
    let at = 0;
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        controller.enqueue(encoder.encode(text.slice(at, at + 7)));
        at += 7;
        if (at >= text.length) controller.close();
        await new Promise((resolve) => setTimeout(resolve, 1));
      },
    });
    const init = { method: "POST", headers: { "content-type": "application/json" }, body };
    const url = `${traffic.envoy.url}/v1/completions`;
    const answer = await fetch(url, { ...init, duplex: "half" } as RequestInit);
    expect([answer.status, servedBy(prompt)]).toEqual([200, "b/v2"]);
  });
});

it("an unknown model is a 404 that OpenAI's client recognises", async () => {
  const error = await complete("nobody", "x").catch((error: unknown) => error);
  expect(error).toBeInstanceOf(OpenAI.NotFoundError);
  expect(error).toMatchObject({ status: 404, code: "model_not_found", param: "model" });
});

it("a model is served while its LLMService exists, and is a 404 otherwise", async () => {
  for (const { pod, server } of traffic.servers)
    if (pod.metadata?.name === "c") server.adapters.add("c-new");
  const status = () =>
    complete("c-new", "new").then(
      () => 200,
      (error: { status?: number }) => error.status,
    );
  expect(await status()).toBe(404);
  await llmService("new", "c", ["c-new"]);
  await expect.poll(status, soon).toBe(200);
  await cluster.request("DELETE", `${servicesPath}/new`);
  await expect.poll(status, soon).toBe(404);
});

it("a split sends requests to the pools by weight, and no picker draws again", async () => {
  const count = 1_000;
  let next = 0;
  const names = new Set<string>();
  const worker = async () => {
    while (next < count) {
      next += 1;
      const { model } = await complete("review", `review ${next}`);
      names.add(model);
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  const byTarget: Record<string, number> = {};
  for (const { pod, server } of traffic.servers)
    for (const { model, body } of server.served) {
      if (!(JSON.parse(body) as { prompt: string }).prompt.startsWith("review ")) continue;
      const key = `${pod.metadata?.name}/${model}`;
      byTarget[key] = (byTarget[key] ?? 0) + 1;
    }
  expect(Object.keys(byTarget).sort()).toEqual(["a/v1", "b/v2"]);
  expect((byTarget["a/v1"] ?? 0) + (byTarget["b/v2"] ?? 0)).toBe(count);
  // Four standard deviations of 1,000 draws are 58.
  expect(Math.abs((byTarget["a/v1"] ?? 0) - 300)).toBeLessThan(58);
  expect([...names]).toEqual(["review"]);
}, 60_000);

describe("with 10,000 models", () => {
  /** Names of the three pools in turn. */
  const many = Array.from({ length: 10_000 }, (_, at) => ({
    model: `many-${at}`,
    pool: ["a", "b", "c"][at % 3] as "a" | "b" | "c",
    isRewritten: at >= 960,
  }));
  /** Rewrite targets of models that no LLMService registers. */
  const targets = { a: "a-model", b: "v2", c: "c-1" };
  const inParts = <T>(items: readonly T[], size: number): T[][] =>
    Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
      items.slice(at * size, (at + 1) * size),
    );
  const metric = async (name: string) => {
    const page = await fetch(`http://127.0.0.1:${router.ports.metrics}/metrics`);
    const text = await page.text();
    return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
  };

  it("each request is sent to the pool of its model, and unknown models get 404", async ({
    annotate,
  }) => {
    const began = performance.now();
    for (const pool of ["a", "b", "c"]) {
      const of = (isRewritten: boolean) =>
        many
          .filter((each) => each.pool === pool && each.isRewritten === isRewritten)
          .map(({ model }) => model);
      for (const [at, models] of inParts(of(false), 16).entries())
        await llmService(`many-${pool}-${at}`, pool, models);
      const target = targets[pool as keyof typeof targets];
      await create({
        apiVersion: "llm-d.ai/v1alpha2",
        kind: "InferenceModelRewrite",
        metadata: { name: `many-${pool}`, namespace: "default" },
        spec: {
          poolRef: { name: pool },
          rules: inParts(of(true), 64).map((models) => ({
            matches: models.map((value) => ({ model: { value } })),
            targets: [{ modelRewrite: target }],
          })),
        },
      });
    }
    const written = performance.now();
    const asked = many.filter((_, at) => at % 499 === 0);
    for (const { pod, server } of traffic.servers)
      for (const { model, pool, isRewritten } of asked)
        if (pod.metadata?.name === pool && !isRewritten) server.adapters.add(model);
    await expect.poll(() => metric("model_router_models"), soon).toBeGreaterThan(many.length);
    const toldMs = performance.now() - written;
    const times: number[] = [];
    for (const { model, pool, isRewritten } of asked) {
      const prompt = `one of many: ${model}`;
      // The pool's picker may learn of a name later than the router.
      await expect.poll(() => complete(model, prompt).then(() => 200), soon).toBe(200);
      expect(servedBy(prompt)).toBe(`${pool}/${isRewritten ? targets[pool] : model}`);
      const start = performance.now();
      await complete(model, prompt);
      times.push(performance.now() - start);
    }
    const error = await complete(`many-${many.length}`, "x").catch((error: unknown) => error);
    expect(error).toMatchObject({ status: 404, code: "model_not_found" });
    const median = times.sort((a, b) => a - b)[times.length >> 1] as number;
    const memory = (await metric("process_resident_memory_bytes")) / 2 ** 20;
    await annotate(
      `written in ${Math.round(written - began)} ms, known ${Math.round(toldMs)} ms later; request ${median.toFixed(1)} ms at the median; router ${Math.round(memory)} MiB resident`,
    );
  }, 120_000);
});

it("the metrics page counts requests, refusals and models", async () => {
  const page = await fetch(`http://127.0.0.1:${router.ports.metrics}/metrics`);
  const text = await page.text();
  expect(text).toMatch(
    /^model_router_requests_total\{model="review",target_model="v2"\} [67]\d\d$/m,
  );
  expect(text).toMatch(/^model_router_rejected_requests_total\{status="404"\} \d+$/m);
  expect(text).toMatch(/^model_router_models \d+$/m);
});
