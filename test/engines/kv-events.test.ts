import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seeded } from "../../testing/samples/seeded.ts";
import { type Api, apis, ask } from "./ask.ts";
import { type EnginePod, EngineService, gatewayRouter } from "./engine-service.ts";
import { type Asked, Predictions } from "./predictions.ts";

/**
 * The picker's predictions of cached prefixes by KV events, compared with the counts of real engines: two vLLM that
 * publish, as `kvEvents: true` plans them, behind our picker and Envoy.
 */

const model = "tiny";
const template = {
  spec: {
    containers: [
      {
        name: "vllm",
        image: "vllm/vllm-openai:v0.32.0",
        args: [
          ...["--model", model, "--max-model-len", "2048", "--enable-prompt-tokens-details"],
          // Only endpoints enabled by this flag return the tokens of messages and responses.
          "--enable-scale-out",
          // A cache that evicts: 3,072 tokens.
          ...["--num-gpu-blocks-override", "96"],
        ],
        // It serves /reset_prefix_cache.
        env: [{ name: "VLLM_SERVER_DEV_MODE", value: "1" }],
        ports: [{ name: "http", containerPort: 8000 }],
        resources: { limits: { "nvidia.com/gpu": "1" } },
      },
    ],
  },
};

let service: EngineService;
let predictions: Predictions;

beforeAll(async () => {
  service = await EngineService.create("prefixes", [
    { name: "inference", componentType: "worker", replicas: 2, template },
    { ...gatewayRouter, kvEvents: true },
  ]);
  await service.start();
  predictions = new Predictions(service, model, 2);
  await predictions.untilHeard();
}, 1_800_000);

afterAll(() => service?.stop(), 60_000);

/** A trace of chats on four long beginnings, with and without salts. */
function trace(seed: number, length: number): Asked[] {
  const random = seeded(seed);
  const pick = (below: number) => Math.floor(random() * below);
  return Array.from({ length }, () => {
    const family = pick(4);
    const beginning = `System ${family}. ${"All of this was said before. ".repeat(6 + 5 * family)}`;
    const turns = Array.from({ length: pick(4) }, (_, turn) => `Turn ${turn} of ${family}. `);
    return {
      api: apis[pick(apis.length)] as Api,
      prompt: beginning + turns.join("").repeat(1 + pick(3)) + pick(8),
      salt: [undefined, undefined, "red", "blue"][pick(4)],
    };
  });
}

/** Events must match the engine's count for every request. */
async function holds(asked: readonly Asked[]): Promise<{ cached: number; byPod: Set<unknown> }> {
  const wrong: object[] = [];
  const byPod = new Set<unknown>();
  let [sum, estimated] = [0, 0];
  for (const { api, salt, prompt } of asked) {
    const said = await predictions.byEvents(() => ({ api, salt, prompt }));
    byPod.add(said.chosen);
    sum += said.cached;
    if (said.isEstimate) estimated += 1;
    else if (said.predicted !== said.cached)
      wrong.push({ api, salt, tokens: prompt.length, said: said.predicted, cached: said.cached });
  }
  console.log(
    `${asked.length} requests, ${sum} cached tokens, ${wrong.length} not as said, ${estimated} estimated`,
  );
  expect(wrong).toEqual([]);
  expect(estimated).toBe(0);
  return { cached: sum, byPod };
}

describe("the picker predicts as many cached tokens as the engine counts", () => {
  const pods = () => service.pods("worker") as [EnginePod, EnginePod];
  it("over shared prefixes, salts and evictions", async () => {
    const { cached, byPod } = await holds(trace(1, 60));
    expect(cached).toBeGreaterThan(1_000);
    expect(byPod.size).toBe(2);
  });

  it("after a cache was reset", async () => {
    await holds(trace(2, 6));
    for (const { engine } of pods()) {
      const reset = await fetch(`${engine.url}/reset_prefix_cache`, { method: "POST" });
      expect(reset.status).toBe(200);
      // vLLM publishes a reset with its next step, and an idle engine takes none.
      const question = { api: "completions", stream: false, prompt: "A step." } as const;
      expect(await ask(engine.url, model, question)).toMatchObject({ status: 200 });
    }
    const [first] = trace(2, 1);
    expect(await predictions.of(first as Asked)).toMatchObject({
      ...{ predicted: 0, cached: 0, isEstimate: false },
    });
    await holds(trace(2, 12));
  });

  it("after kill -9 of an engine that starts again at its address", async () => {
    const [pod] = pods();
    await pod.kill();
    await service.restart(pod);
    await holds(trace(3, 20));
  });
});
