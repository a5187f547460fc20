import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readFailingPods } from "../../runtime/programs/status-controller/picker-pages.ts";
import { recycleAfterSeconds } from "../../sdk/status/recycling.ts";
import type { ServingPod } from "../../testing/pods/running-pod.ts";
import { type PairsService, startPairsService } from "./pairs-service.ts";

/** Four prefillers and four decoders at a hundred requests a second, while something fails. */

const perSecond = 100;

let service: PairsService;
beforeAll(async () => {
  service = await startPairsService(4);
}, 240_000);
afterAll(() => service?.stop(), 60_000);

interface Sent {
  readonly began: number;
  readonly ended: number;
  readonly status: number;
  /** Why a prefill failed. */
  readonly prefilledBy: string | null;
  readonly prefillFailed: string | null;
}

let asked = 0;

/** A prompt of its own, so that no cache has a say in where it goes. */
async function ask(): Promise<Sent> {
  asked += 1;
  const began = performance.now();
  const body = { model: "m", prompt: `Question ${asked}. `.repeat(20), max_tokens: 20 };
  const answer = await fetch(`${service.traffic.envoy.url}/v1/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  }).then(
    async (response) => ({
      // An answer that breaks off is none.
      status: await response.text().then(
        () => response.status,
        () => 0,
      ),
      prefilledBy: response.headers.get("x-prefilled-by"),
      prefillFailed: response.headers.get("x-prefill-failed"),
    }),
    () => ({ status: 0, prefilledBy: null, prefillFailed: null }),
  );
  return { began, ended: performance.now(), ...answer };
}

/** Sends requests at the rate, whatever becomes of them. */
async function load(seconds: number): Promise<Sent[]> {
  const began = performance.now();
  const sent: Array<Promise<Sent>> = [];
  for (let at = 0; at < seconds * perSecond; at += 1) {
    const due = began + (at * 1_000) / perSecond;
    const early = due - performance.now();
    if (early > 0) await sleep(early);
    sent.push(ask());
  }
  return Promise.all(sent);
}

const p95 = (sent: readonly Sent[]) =>
  sent
    .map(({ began, ended }) => ended - began)
    .sort((a, b) => a - b)
    .at(Math.floor(sent.length * 0.95)) as number;
const failed = (sent: readonly Sent[]) => sent.filter(({ status }) => status !== 200);

async function avoided(): Promise<number> {
  const state = (await (await service.page("/debug/state")).json()) as { excludedPairs: unknown[] };
  return state.excludedPairs.length;
}
const failingSeconds = async () => {
  const page = Buffer.from(await (await service.page("/metrics")).arrayBuffer());
  return [...readFailingPods([page]).values()];
};

describe("at a hundred requests a second", () => {
  it("no request and no prefill fails without faults", async () => {
    const sent = await load(5);
    console.log(`p95 ${p95(sent).toFixed(0)} ms`);
    expect(failed(sent)).toEqual([]);
    expect(sent.flatMap(({ prefillFailed }) => prefillFailed ?? [])).toEqual([]);
    expect(sent.filter(({ prefilledBy }) => prefilledBy === null)).toEqual([]);
    expect(await failingSeconds()).toEqual(Array.from({ length: 8 }, () => 0));
  });

  it("one pair is cut off: every request is answered, only that pair is avoided, and no pod is due for recycling", async () => {
    const [prefiller] = service.podsOf("prefiller") as [ServingPod];
    const [decoder] = service.podsOf("decoder") as [ServingPod];
    decoder.server.cutOffFrom.add(prefiller.server.address);
    const seen: number[] = [];
    const failing: number[] = [];
    let running = true;
    const look = (async () => {
      for (; running; await sleep(250)) {
        seen.push(await avoided());
        failing.push(...(await failingSeconds()));
      }
    })();
    const sent = await load(30);
    running = false;
    await look;
    console.log(`p95 ${p95(sent).toFixed(0)} ms, pairs avoided at most ${Math.max(...seen)}`);
    expect(failed(sent)).toEqual([]);
    expect(Math.max(...seen)).toBe(1);
    expect(Math.max(...failing)).toBeLessThan(recycleAfterSeconds);
    decoder.server.cutOffFrom.clear();
    await expect.poll(avoided, { timeout: 60_000, interval: 200 }).toBe(0);
  });

  it("a decoder is killed: its requests and few later ones fail, and no request that is sent a second later", async () => {
    const [, decoder] = service.podsOf("decoder") as [ServingPod, ServingPod];
    const running = load(25);
    await sleep(5_000);
    const killedAt = performance.now();
    await decoder.stop();
    const stoppedAt = performance.now();
    const sent = await running;
    const lost = failed(sent);
    const after = lost.filter(({ began }) => began > stoppedAt);
    const last = Math.max(killedAt, ...lost.map(({ ended }) => ended));
    console.log(
      `${lost.length} of ${sent.length} failed, ${after.length} of them sent after the end; the last ${(last - killedAt).toFixed(0)} ms after the kill`,
    );
    expect(last - killedAt).toBeLessThan(10_000);
    expect(after.filter(({ began }) => began > stoppedAt + 1_000)).toEqual([]);
    // One decoder of four gets a quarter of the requests: all of them would fail in that second if the loss went
    // unnoticed.
    expect(after.length).toBeLessThan(perSecond / 4 / 5);
  });
});
