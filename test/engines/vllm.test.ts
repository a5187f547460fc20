import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { V1Pod } from "@kubernetes/client-node";
import { afterAll, beforeAll, expect, it } from "vitest";
import { run } from "../../cli/sample.fixture.ts";
import { mergePatchType } from "../../kubernetes/api/patch-types.ts";
import { type AttachedCluster, freshNamespace } from "../../testing/api/cluster.ts";
import { sharedCluster } from "../../testing/clusters/shared-cluster.ts";
import { findEnvoy } from "../../testing/envoy/install.ts";
import { openStack, type Stack } from "../../testing/programs/pulumi-stack.ts";
import { repositoryRoot } from "../../testing/repository.ts";
import { type StandIns, startStandIns } from "../../testing/stand-ins/start.ts";
import { type LiveTraffic, startLiveTraffic } from "../../testing/traffic/live-traffic.ts";
import { findVllm } from "./install-vllm.ts";
import { PodEngine } from "./pod-engine.ts";
import { poolMetrics } from "./pool-metrics.ts";

/** The quickstart with the real engine: vLLM at its pod's address, behind Envoy and the picker as planned. */

const model = "Qwen/Qwen2.5-0.5B-Instruct";
const question = { model, max_tokens: 8, messages: [{ role: "user" as const, content: "Hello." }] };
const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-engines-"));
let cluster: AttachedCluster;
let namespace: string;
let standIns: StandIns;
let stack: Stack;
let vllm: PodEngine;
let traffic: LiveTraffic;

beforeAll(async () => {
  const [site] = await Promise.all([findVllm(), findEnvoy()]);
  cluster = await sharedCluster();
  namespace = await freshNamespace(cluster, "engines");
  standIns = await startStandIns(cluster, { namespace, tickMs: 50 });
  stack = openStack({
    ...{ stack: "test", program: { dir: join(repositoryRoot, "examples", "quickstart") } },
    kubernetes: { kubeconfig: cluster.kubeconfig },
    config: { namespace },
  });
  expect((await stack.up()).succeeded).toBe(true);
  vllm = new PodEngine(site, await enginePod());
  console.log(`vLLM served after ${(await vllm.start()).toFixed(0)} s`);
  traffic = await startLiveTraffic({
    kubeconfig: cluster.kubeconfig,
    namespace,
    folder,
    servedElsewhere: true,
  });
}, 1_800_000);

afterAll(async () => {
  await traffic?.stop();
  await vllm?.stop();
  await stack?.destroy();
  await standIns?.stop();
  cluster?.detach();
  rmSync(folder, { recursive: true, force: true });
});

async function enginePod(): Promise<V1Pod> {
  for (;;) {
    const { items } = await cluster.request<{ items: V1Pod[] }>(
      "GET",
      `/api/v1/namespaces/${namespace}/pods`,
    );
    const pod = items.find(({ metadata }) => metadata?.name === "quickstart-inference-0");
    if (pod?.status?.podIP !== undefined) return pod;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

it("answers a chat, with usage", async () => {
  const answer = await traffic.client.chat.completions.create(question);
  expect(answer.model).toBe(model);
  expect(answer.usage).toMatchObject({ completion_tokens: 8 });
  expect(answer.choices[0]?.finish_reason).toBe("length");
});

it("answers in a stream, with usage", async () => {
  const stream = await traffic.client.chat.completions.create({
    ...question,
    stream: true,
    stream_options: { include_usage: true },
  });
  let chunks = 0;
  let completionTokens: number | undefined;
  for await (const { usage } of stream) {
    chunks += 1;
    completionTokens = usage?.completion_tokens ?? completionTokens;
  }
  expect(chunks).toBeGreaterThan(2);
  expect(completionTokens).toBe(8);
});

/** Has the engine generate `tokens` tokens. Returns the number received. */
async function generate(tokens: number): Promise<number> {
  const response = await fetch(`${vllm.url}/v1/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model, prompt: "Tell me more.", max_tokens: tokens, ignore_eos: true }),
  });
  const { usage } = (await response.json()) as { usage: { completion_tokens: number } };
  return usage.completion_tokens;
}

it("the picker reads the queue and the cache of vLLM", async () => {
  const idle = await poolMetrics(traffic);
  expect(idle).toMatchObject({ ready_pods: 1, average_queue_size: 0 });
  // Keeps twice the number of requests that vLLM runs concurrently, sent directly because they would wait in the
  // picker, until the picker has seen them.
  let wasSeen = false;
  const load = Array.from({ length: 16 }, async () => {
    do expect(await generate(300)).toBe(300);
    while (!wasSeen);
  });
  const all = Promise.all(load);
  const deadline = Date.now() + 60_000;
  let busy = idle;
  const isBusy = () =>
    Number(busy.average_queue_size) > 0 && Number(busy.average_kv_cache_utilization) > 0;
  while (!isBusy() && Date.now() < deadline) busy = await poolMetrics(traffic);
  wasSeen = true;
  await all;
  expect(isBusy(), `the picker sees no load: ${JSON.stringify(busy)}`).toBe(true);
  console.log("under load the picker sees", busy);
});

it("pulumi-inference request prints vLLM's answer", async () => {
  const gateway = `/apis/gateway.networking.k8s.io/v1/namespaces/${namespace}/gateways/quickstart-gateway`;
  const status = { addresses: [{ type: "IPAddress", value: "127.0.0.1" }] };
  await cluster.request("PATCH", `${gateway}/status`, { status }, mergePatchType);
  const where = [
    "--url",
    `${traffic.envoy.url}/v1`,
    "-n",
    namespace,
    "--kubeconfig",
    cluster.kubeconfig,
  ];
  for (const way of [[], ["--stream"]]) {
    const { code, out, err } = await run([
      "request",
      "quickstart",
      "Hello.",
      "--max-tokens",
      "8",
      ...way,
      ...where,
    ]);
    expect({ code, err }).toEqual({
      code: 0,
      err: expect.stringContaining("quickstart-inference-0 ("),
    });
    expect(out.length).toBeGreaterThan(1);
    console.log(out + err);
  }
});
