import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { replay } from "../../runtime/endpoint-picker/kv-events/replay.ts";
import type { ExplainPage } from "../../sdk/routing/explained-decision.ts";
import { kvEventPorts } from "../../sdk/topology/kv-events.ts";
import { seeded } from "../../testing/seeded.ts";
import { type Api, apis, ask, cachedTokensOf } from "./ask.ts";
import { type EnginePod, EngineService, gatewayRouter } from "./engine-service.ts";

/**
 * What the picker says of prefixes by KV events, held against what real engines then count: two vLLM that publish, as
 * `kvEvents: true` plans them, behind our picker and Envoy.
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
          // Tokens of messages and responses are told there alone.
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

beforeAll(async () => {
  service = await EngineService.create("prefixes", [
    { name: "inference", componentType: "worker", replicas: 2, template },
    { ...gatewayRouter, kvEvents: true },
  ]);
  await service.start();
  await untilHeard();
}, 1_800_000);

afterAll(() => service?.stop(), 60_000);

interface KvEventsPage {
  readonly endpoints: ReadonlyArray<{
    readonly address: string;
    readonly answers: string;
    readonly state: string;
    readonly lastMessage: number | null;
  }>;
}

/** Waits until the picker has heard all that the engines have published. */
async function untilHeard(): Promise<void> {
  let quiet = 0;
  while (quiet < 2) {
    const { endpoints } = await service.picker<KvEventsPage>("/debug/kv-events");
    const missing = await Promise.all(
      endpoints.map(({ address, lastMessage }) =>
        published(address.split(":")[0] as string, (lastMessage ?? -1) + 1),
      ),
    );
    const isLive = endpoints.length === 2 && endpoints.every(({ state }) => state === "live");
    quiet = isLive && missing.every((count) => count === 0) ? quiet + 1 : 0;
    if (quiet === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Number of messages that an engine has published from a number on; undefined where it does not answer. */
const published = (host: string, from: number): Promise<number | undefined> =>
  new Promise((resolve) => {
    let count = 0;
    replay({
      ...{ host, port: kvEventPorts.replay, from },
      ...{ connectTimeoutMs: 5_000, idleTimeoutMs: 30_000, maxMessageBytes: 16 * 1024 * 1024 },
      onBatch: () => {
        count += 1;
      },
      onEnd: (failure) => resolve(failure === undefined ? count : undefined),
    });
  });

interface Asked {
  readonly api: Api;
  readonly prompt: string;
  readonly salt?: string | undefined;
}

/** Sends a request; returns what the picker said before and what the engine counted after. */
async function predicted({ api, prompt, salt }: Asked) {
  await untilHeard();
  const answer = await ask(
    service.traffic.envoy.url,
    model,
    { api, stream: false, prompt },
    { more: salt === undefined ? {} : { cache_salt: salt } },
  );
  expect(answer, answer.raw).toMatchObject({ status: 200 });
  // Envoy gives requests ids of its own.
  const { last } = await service.picker<ExplainPage>("/debug/explain");
  const page = await service.picker<ExplainPage>(
    `/debug/explain?request-id=${last?.[0]?.requestId}`,
  );
  const decision = page.decisions?.at(-1);
  const chosen = decision?.chosen[0];
  const blocks = decision?.candidates.find(({ endpoint }) => endpoint === chosen)?.cachedBlocks;
  const { blockTokens = Number.NaN } = decision?.prefix ?? {};
  return {
    predicted: (blocks ?? Number.NaN) * blockTokens,
    cached: cachedTokensOf(api, answer),
    chosen,
    // An estimate has blocks of another size.
    isEstimate: blockTokens !== engineBlock,
  };
}

/** Tokens of a block of these engines. */
const engineBlock = 32;

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

/** How often a request is sent whose tokens come too late. */
const attempts = 10;

/**
 * What the picker says of a request by events. Where tokens come later than the 300 ms that a request waits for them the
 * estimate answers, which shows nothing of events: then it is asked again, and what is cached by now is said and counted.
 */
async function predictedByEvents(asked: Asked): ReturnType<typeof predicted> {
  let said = await predicted(asked);
  for (let sent = 1; said.isEstimate && sent < attempts; sent += 1) said = await predicted(asked);
  return said;
}

/** What events say must be what the engine counts, for every request. */
async function holds(asked: readonly Asked[]): Promise<{ cached: number; byPod: Set<unknown> }> {
  const wrong: object[] = [];
  const byPod = new Set<unknown>();
  let [sum, estimated] = [0, 0];
  for (const { api, salt, prompt } of asked) {
    const said = await predictedByEvents({ api, salt, prompt });
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

describe("what the picker says is cached is what the engine counts", () => {
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
      // vLLM tells of a reset with its next step, and an idle engine takes none.
      const question = { api: "completions", stream: false, prompt: "A step." } as const;
      expect(await ask(engine.url, model, question)).toMatchObject({ status: 200 });
    }
    const [first] = trace(2, 1);
    expect(await predicted(first as Asked)).toMatchObject({
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
