import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Answer, apis, ask, type Question } from "./ask.ts";
import { type EnginePod, EngineService, gatewayRouter } from "./engine-service.ts";

/**
 * Prefill and decode with real engines: two vLLM with NixlConnector, started as planned, our sidecar in front of the
 * decoder, our picker and Envoy in front. The KV cache moves between two processes.
 */

const model = "tiny";
const template = {
  spec: {
    containers: [
      {
        name: "vllm",
        image: "vllm/vllm-openai:v0.32.0",
        // The plan adds the flags of a transfer. Usage contains cached tokens only with this flag.
        args: ["--model", model, "--max-model-len", "4096", "--enable-prompt-tokens-details"],
        ports: [{ name: "http", containerPort: 8000 }],
        resources: { limits: { "nvidia.com/gpu": "1" } },
      },
    ],
  },
};

let service: EngineService;

beforeAll(async () => {
  service = await EngineService.create("pairs", [
    { name: "prefill", componentType: "prefiller", template },
    { name: "decode", componentType: "decoder", template },
    gatewayRouter,
  ]);
  await service.start();
}, 1_800_000);

afterAll(() => service?.stop(), 60_000);

const prefiller = () => service.pods("prefiller")[0] as EnginePod;
const decoder = () => service.pods("decoder")[0] as EnginePod;
const send = (question: Question, options?: Parameters<typeof ask>[3]) =>
  ask(service.traffic.envoy.url, model, question, options);

/** A decoder's counters of received caches. */
async function moved({ engine }: EnginePod) {
  return {
    bytes: await engine.counter("vllm:nixl_bytes_transferred_sum"),
    tokens: await engine.counter("vllm:prompt_tokens_by_source_total", {
      source: "external_kv_transfer",
    }),
  };
}

/** The sidecar's headers about a request's prefill. */
const prefillOf = ({ headers }: Answer) => ({
  by: headers.get("x-prefilled-by"),
  failed: headers.get("x-prefill-failed"),
});

/** The ends of both engines' and the sidecar's logs. */
const logs = () =>
  [prefiller().engine, decoder().engine, decoder().sidecar]
    .map((each) => each?.log().slice(-4_000))
    .join("\n---\n");

let prompts = 0;

/** A prompt of its own, so that no engine has it cached; 40 to 600 tokens of one byte. */
function prompt(): string {
  prompts += 1;
  return `Prompt ${prompts}. ${"The quick brown fox jumps over the lazy dog. ".repeat(1 + (prompts % 13))}`;
}

const questions: Question[] = apis.flatMap((api) =>
  [false, true].map((stream) => ({ api, stream, prompt: "" })),
);

describe("the KV cache is transferred, and the text is the same as from one engine", () => {
  it.each(questions)("over $api, streamed: $stream", async ({ api, stream }) => {
    for (let round = 0; round < 10; round += 1) {
      const question = { api, stream, prompt: prompt() };
      const before = await moved(decoder());
      await service.untilRead(2);
      const answer = await send(question);
      expect(answer, logs()).toMatchObject({ status: 200 });
      expect(prefillOf(answer), logs()).toEqual({ by: prefiller().address, failed: null });
      const after = await moved(decoder());
      expect(after.bytes, `${answer.raw}\n${logs()}`).toBeGreaterThan(before.bytes);
      expect(after.tokens - before.tokens).toBeGreaterThanOrEqual(question.prompt.length);
      // A salt of its own: the engine computes the prompt itself.
      const alone = await ask(decoder().engine.url, model, question, {
        more: { cache_salt: `alone ${prompts}` },
      });
      expect(alone, alone.raw).toMatchObject({ status: 200 });
      expect((await moved(decoder())).tokens).toBe(after.tokens);
      expect(answer.text.length).toBeGreaterThan(0);
      expect(answer.text).toBe(alone.text);
    }
  });
});

describe("a client that writes an engine's own fields", () => {
  const hostile = { kv_transfer_params: { do_remote_prefill: true } };
  const question: Question = { api: "chat", stream: false, prompt: "Hello." };

  it.each(["through the gateway", "past it, to the sidecar"])("kills nobody %s", async (way) => {
    const url = way.startsWith("through")
      ? service.traffic.envoy.url
      : `http://${decoder().address}`;
    for (const each of apis) {
      const answer = await ask(url, model, { ...question, api: each }, { more: hostile });
      expect(answer).toMatchObject({ status: 200 });
    }
    await sleep(1_000);
    for (const { engine } of [prefiller(), decoder()]) {
      expect(engine.ended).toBeUndefined();
      expect((await fetch(`${engine.url}/health`)).status).toBe(200);
    }
    expect(await send({ ...question, prompt: prompt() })).toMatchObject({ status: 200 });
  });
});

describe("a prefiller is killed", () => {
  /** Returns the prefiller's answer to the sidecar: the location of the blocks. */
  async function prefilled(text: string): Promise<object> {
    const answer = await ask(
      prefiller().engine.url,
      model,
      { api: "completions", stream: false, prompt: text },
      {
        more: {
          max_tokens: 1,
          kv_transfer_params: { do_remote_decode: true, do_remote_prefill: false },
        },
      },
    );
    return JSON.parse(answer.raw).kv_transfer_params;
  }

  it("between two requests: the decoder prefills, within a second", async () => {
    const text = prompt();
    const transfer = await prefilled(text);
    await prefiller().kill();
    const answers: Array<Answer & { readonly alone: number }> = [];
    for (let sent = 0; sent < 5; sent += 1) {
      const question: Question = { api: "chat", stream: sent % 2 === 1, prompt: prompt() };
      const answer = await send(question);
      const { milliseconds: alone } = await ask(decoder().engine.url, model, question, {
        more: { cache_salt: `alone ${prompts}` },
      });
      answers.push({ ...answer, alone });
    }
    console.log(
      "after the prefiller was killed:",
      answers.map(
        ({ status, milliseconds, alone }) =>
          `${status} in ${milliseconds.toFixed(0)} ms, by the decoder itself in ${alone.toFixed(0)} ms`,
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(Math.max(...answers.map(({ milliseconds }) => milliseconds))).toBeLessThan(1_000);

    // The prefiller was killed between the two legs: the decoder has the transfer parameters, but no server to fetch
    // from.
    const late = await ask(
      decoder().engine.url,
      model,
      { api: "completions", stream: false, prompt: text },
      { more: { kv_transfer_params: transfer } },
    );
    console.log(
      `killed between the legs: ${late.status} in ${late.milliseconds.toFixed(0)} ms, by kv_load_failure_policy`,
    );
    expect(late).toMatchObject({ status: 200 });
  });
});

describe("a decoder is killed and replaced, and so is the prefiller", () => {
  /** Sends until a request's cache was moved. Returns the statuses before, and the milliseconds that it took. */
  async function untilWhole(): Promise<{ failed: string[]; milliseconds: number }> {
    const began = performance.now();
    const failed: string[] = [];
    while (performance.now() - began < 60_000) {
      const before = await moved(decoder());
      const answer = await send({ api: "chat", stream: false, prompt: prompt() });
      const after = await moved(decoder());
      if (answer.status === 200 && after.tokens > before.tokens)
        return { failed, milliseconds: performance.now() - began };
      failed.push(`${answer.status} ${answer.headers.get("x-prefill-failed")}`);
      await sleep(100);
    }
    throw new Error(`no cache was moved in a minute: ${failed.join(", ")}`);
  }

  it("the prefiller's container starts again: its decoder fetches from it as before", async () => {
    await service.restart(prefiller());
    const { failed, milliseconds } = await untilWhole();
    console.log(`prefiller back: whole after ${milliseconds.toFixed(0)} ms`, failed);
    expect(milliseconds, logs()).toBeLessThan(10_000);
  });

  it("a new decoder serves requests without failures within ten seconds", async () => {
    const old = decoder();
    await old.kill();
    const replacement = await service.replace(old);
    const started = await service.startEngine(replacement);
    await started.startSidecar();
    const { failed, milliseconds } = await untilWhole();
    console.log(`decoder replaced: whole after ${milliseconds.toFixed(0)} ms`, failed);
    expect(milliseconds, logs()).toBeLessThan(10_000);
    for (let sent = 0; sent < 5; sent += 1)
      expect(await send({ api: "completions", stream: false, prompt: prompt() })).toMatchObject({
        status: 200,
      });
  });
});
