import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sidecarMetric } from "../../testing/pods/deployed-sidecar.ts";
import type { ServingPod } from "../../testing/pods/running-pod.ts";
import { type PairsService, startPairsService } from "./pairs-service.ts";

/**
 * A service with prefillers and decoders as it is planned: OpenAI's client through Envoy and the stack's picker to the
 * sidecars that the decoders' pods have, with simulated engines behind them.
 */

let service: PairsService;

beforeAll(async () => {
  service = await startPairsService(2);
}, 180_000);
afterAll(() => service?.stop());

const podsOf = (type: "prefiller" | "decoder") => service.podsOf(type);
const servedBy = (pods: readonly ServingPod[]) => pods.flatMap(({ server }) => server.served);

let asked = 0;

/** A prompt of its own, so that no cache has a say in where it goes. */
async function ask(maxTokens = 2) {
  asked += 1;
  const began = performance.now();
  const response = await service.traffic.client.chat.completions
    .create({
      model: "m",
      messages: [{ role: "user", content: `Question ${asked} of this test. `.repeat(20) }],
      max_tokens: maxTokens,
    })
    .asResponse();
  const text = await response.text();
  return {
    text,
    status: response.status,
    prefilledBy: response.headers.get("x-prefilled-by"),
    pod: response.headers.get("x-inference-pod"),
    ms: performance.now() - began,
  };
}

describe("while all pods work", () => {
  it("a prefiller computes the prompt, and the decoder's sidecar reports its address", async () => {
    const prefillers = podsOf("prefiller").map(({ server }) => server.address);
    for (let sent = 0; sent < 8; sent += 1) {
      const { prefilledBy, pod } = await ask();
      expect(prefillers).toContain(prefilledBy);
      expect(pod).toMatch(/-decode-/);
    }
    expect(servedBy(podsOf("prefiller"))).toHaveLength(8);
    expect(servedBy(podsOf("decoder")).map(({ prefiller }) => prefiller)).toEqual(
      servedBy(podsOf("decoder")).map(() => expect.stringMatching(/^127\./)),
    );
  });

  it("streams come through", async () => {
    const stream = await service.traffic.client.chat.completions.create({
      ...{ model: "m", messages: [{ role: "user", content: "hi" }], max_tokens: 3 },
      stream: true,
    });
    const words: string[] = [];
    for await (const { choices } of stream) words.push(choices[0]?.delta.content ?? "");
    expect(words.join("")).toBe("the quick brown ");
  });
});

describe("a prefiller that a sidecar calls", () => {
  /** Sends a request that any client could send to the pod directly, without the gateway. */
  const past = async (address: string) => {
    const [{ sidecar, pod }] = podsOf("decoder") as [ServingPod];
    const before = await denied(podsOf("decoder")[0]);
    const response = await fetch(
      `http://${pod.status?.podIP}:${sidecar?.ports.serving[0]}/v1/completions`,
      {
        method: "POST",
        headers: { "content-type": "application/json", "x-prefiller-host-port": address },
        body: JSON.stringify({ model: "m", prompt: "hi", max_tokens: 1 }),
      },
    );
    await response.text();
    return {
      status: response.status,
      prefilledBy: response.headers.get("x-prefilled-by"),
      denied: (await denied(podsOf("decoder")[0])) - before,
    };
  };
  const denied = async (pod: ServingPod | undefined) =>
    pod?.sidecar === undefined
      ? 0
      : sidecarMetric(pod.sidecar, 'pd_sidecar_local_prefills_total{reason="not-allowed"}');

  it("must be a Ready prefiller of the service, at its port", async () => {
    const [prefiller] = podsOf("prefiller") as [ServingPod];
    const [decoder] = podsOf("decoder") as [ServingPod];
    const { address, ip } = prefiller.server;
    expect(await past(address)).toEqual({ status: 200, prefilledBy: address, denied: 0 });
    const apiServer = new URL(service.cluster.url).host;
    for (const other of [
      apiServer,
      "169.254.169.254:80",
      `${ip}:9093`,
      `${decoder.pod.status?.podIP}:8200`,
      decoder.server.address.replace("8200", "8000"),
    ])
      expect(await past(other), other).toMatchObject({ status: 200, prefilledBy: null });
    expect(await past(apiServer)).toMatchObject({ denied: 1 });
  });

  it("must still be Ready", async () => {
    const [{ pod, server }] = podsOf("prefiller") as [ServingPod];
    const path = `/api/v1/namespaces/${service.namespace}/pods/${pod.metadata?.name}/status`;
    await service.standIns.stop();
    const setReady = (status: "True" | "False") =>
      service.cluster.request(
        "PATCH",
        path,
        { status: { conditions: [{ type: "Ready", status }] } },
        "application/strategic-merge-patch+json",
      );
    await setReady("False");
    await expect
      .poll(async () => (await past(server.address)).prefilledBy, { timeout: 20_000 })
      .toBe(null);
    await setReady("True");
    await expect
      .poll(async () => (await past(server.address)).prefilledBy, { timeout: 20_000 })
      .toBe(server.address);
  });
});

describe("failures", () => {
  const avoided = async () => {
    const page = await service.page("/debug/state");
    return ((await page.json()) as { excludedPairs: Array<{ prefiller: string; decoder: string }> })
      .excludedPairs;
  };
  const settled = () => expect.poll(avoided, { timeout: 60_000, interval: 200 }).toEqual([]);

  it("one pair is cut off: its requests are served, only this pair is avoided, and it is used again afterwards", async () => {
    const [prefiller] = podsOf("prefiller") as [ServingPod];
    const [decoder] = podsOf("decoder") as [ServingPod];
    decoder.server.cutOffFrom.add(prefiller.server.address);
    let seen: Awaited<ReturnType<typeof avoided>> = [];
    for (let sent = 0; seen.length === 0 && sent < 100; sent += 1) {
      expect((await ask()).status).toBe(200);
      const now = await avoided();
      expect(now.length).toBeLessThanOrEqual(1);
      seen = now;
    }
    expect(seen).toMatchObject([
      {
        prefiller: expect.stringContaining(prefiller.pod.metadata?.name ?? "?"),
        decoder: expect.stringContaining(decoder.pod.metadata?.name ?? "?"),
      },
    ]);
    decoder.server.cutOffFrom.clear();
    await settled();
  });

  it("a prefiller is killed: every request is answered, with the other or by the decoder alone", async () => {
    const [gone, left] = podsOf("prefiller") as [ServingPod, ServingPod];
    await gone.stop();
    const answers: Awaited<ReturnType<typeof ask>>[] = [];
    for (let sent = 0; sent < 30; sent += 1) answers.push(await ask());
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(answers.slice(-10).map(({ prefilledBy }) => prefilledBy)).toContain(left.server.address);
    const locally = answers.filter(({ prefilledBy }) => prefilledBy === null).length;
    expect(locally).toBeLessThan(answers.length / 2);
  });

  it("a decoder is killed: requests that ran there fail, and later ones do not", async () => {
    const [gone, left] = podsOf("decoder") as [ServingPod, ServingPod];
    const running = Array.from({ length: 8 }, () => ask(2_000).catch(() => "failed" as const));
    await expect.poll(() => gone.server.running, { timeout: 20_000 }).toBeGreaterThan(0);
    await gone.stop();
    const outcomes: boolean[] = [];
    await expect
      .poll(
        async () => {
          const served = await ask().then(
            () => true,
            () => false,
          );
          outcomes.push(served);
          return outcomes.length >= 10 && outcomes.slice(-10).every(Boolean);
        },
        { timeout: 30_000, interval: 10 },
      )
      .toBe(true);
    await left.stop();
    await Promise.all(running);
  });
});
