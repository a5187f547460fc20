import { afterAll, beforeAll, expect, it } from "vitest";
import { ask, type Question } from "./ask.ts";
import { type EnginePod, EngineService, gatewayRouter } from "./engine-service.ts";
import { poolMetrics } from "./pool-metrics.ts";
import { engineBlock, Predictions } from "./predictions.ts";

/**
 * A real vLLM of two data-parallel ranks behind one port, behind our picker and Envoy: the picker reads each rank's
 * events and metrics as part of one server.
 */

const model = "tiny";
const ranks = [0, 1] as const;
/** `--max-num-seqs` of a rank. */
const slots = 8;
const template = {
  spec: {
    containers: [
      {
        name: "vllm",
        image: "vllm/vllm-openai:v0.32.0",
        args: [
          ...["--model", model, "--max-model-len", "2048", "--enable-prompt-tokens-details"],
          ...["--data-parallel-size", String(ranks.length), "--max-num-seqs", String(slots)],
        ],
        ports: [{ name: "http", containerPort: 8000 }],
        resources: { limits: { "nvidia.com/gpu": String(ranks.length) } },
      },
    ],
  },
};

let service: EngineService;
let predictions: Predictions;

beforeAll(async () => {
  service = await EngineService.create("ranks", [
    { name: "inference", componentType: "worker", template },
    { ...gatewayRouter, kvEvents: true },
  ]);
  await service.start();
  predictions = new Predictions(service, model, ranks.length);
  await predictions.untilHeard();
}, 1_800_000);

afterAll(() => service?.stop(), 60_000);

const engine = () => (service.pods("worker")[0] as EnginePod).engine;
const atRank = (rank: number) => ({ headers: { "x-data-parallel-rank": String(rank) } });
const ended = () =>
  Promise.all(
    ranks.map((rank) => engine().counter("vllm:request_success_total", { engine: String(rank) })),
  );

const question: Question = { api: "completions", stream: false, prompt: "Hello." };

it("the engine's header selects a rank, and the picker removes it from a client's request", async () => {
  for (const rank of ranks) {
    const before = await ended();
    expect(await ask(engine().url, model, question, atRank(rank))).toMatchObject({ status: 200 });
    const expected = before.map((count, at) => (at === rank ? count + 1 : count));
    await expect.poll(ended, { timeout: 60_000 }).toEqual(expected);
  }
  const nobody = atRank(ranks.length);
  expect((await ask(engine().url, model, question, nobody)).status).toBeGreaterThanOrEqual(400);
  expect(await ask(service.traffic.envoy.url, model, question, nobody)).toMatchObject({
    status: 200,
  });
});

it("the picker reads the requests of all ranks, and the mean of their caches", async () => {
  // Keeps one and a half times a rank's slots of requests at each rank until the picker has seen them.
  let wasSeen = false;
  const loads = ranks.flatMap((rank) =>
    Array.from({ length: slots * 1.5 }, async () => {
      do
        expect(
          await ask(engine().url, model, question, {
            ...atRank(rank),
            more: { max_tokens: 300, ignore_eos: true },
          }),
        ).toMatchObject({ status: 200 });
      while (!wasSeen);
    }),
  );
  const all = Promise.all(loads);
  const deadline = Date.now() + 120_000;
  let busy: Record<string, number> = {};
  const isSeen = () =>
    Number(busy.average_running_requests) > slots &&
    Number(busy.average_queue_size) > 0 &&
    Number(busy.average_kv_cache_utilization) > 0;
  while (!isSeen() && Date.now() < deadline) busy = await poolMetrics(service.traffic);
  wasSeen = true;
  await all;
  expect(isSeen(), `the picker sees no load: ${JSON.stringify(busy)}`).toBe(true);
  expect(busy.average_kv_cache_utilization).toBeLessThanOrEqual(1);
});

it("the picker predicts half of the tokens cached by one of two ranks, and all tokens cached by both", async () => {
  let prompts = 0;
  let prompt = "";
  /** Has ranks compute a prompt that no engine has cached. Returns a request that continues it. */
  const computedBy = (some: readonly number[]) => async () => {
    prompts += 1;
    prompt = `Prompt ${prompts}. ${"All of this was said before. ".repeat(20)}`;
    for (const rank of some)
      expect(await ask(engine().url, model, { ...question, prompt }, atRank(rank))).toMatchObject({
        status: 200,
      });
    return { api: "completions", prompt: `${prompt}And then?` } as const;
  };
  const whole = () => Math.floor(prompt.length / engineBlock) * engineBlock;

  const ofOne = await predictions.byEvents(computedBy([1]));
  expect(ofOne).toMatchObject({ predicted: whole() / 2, isEstimate: false });
  expect([0, whole()]).toContain(ofOne.cached);
  expect(await predictions.byEvents(computedBy(ranks))).toMatchObject({
    ...{ predicted: whole(), cached: whole(), isEstimate: false },
  });
});
