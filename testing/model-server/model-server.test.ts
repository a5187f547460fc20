import OpenAI from "openai";
import { afterEach, describe, expect, it } from "vitest";
import { type ModelServer, type ModelServerOptions, startModelServer } from "./model-server.ts";

const started: ModelServer[] = [];
afterEach(() => Promise.all(started.splice(0).map((server) => server.stop())));

const fast = { stepMs: 1, prefillTokensPerSecond: 1e6 };
async function start(options: ModelServerOptions = {}) {
  const server = await startModelServer({ ...fast, ...options });
  started.push(server);
  const client = new OpenAI({ baseURL: `http://${server.address}/v1`, apiKey: "-", maxRetries: 0 });
  return { server, client };
}
const messages = [{ role: "user" as const, content: "Tell me a story. ".repeat(20) }];

describe("the OpenAI client", () => {
  it("completes a chat, the second time from the cache", async () => {
    const { client } = await start();
    const ask = () => client.chat.completions.create({ model: "base", messages, max_tokens: 5 });
    const first = await ask();
    expect(first.choices[0]?.message.content).toBe("the quick brown fox jumps ");
    expect(first.usage).toMatchObject({
      completion_tokens: 5,
      prompt_tokens_details: { cached_tokens: 0 },
    });
    const cached = (await ask()).usage?.prompt_tokens_details?.cached_tokens;
    expect(cached).toBe(Math.floor((first.usage?.prompt_tokens ?? 0) / 16) * 16);
  });

  it("streams", async () => {
    const { client } = await start();
    const stream = await client.chat.completions.create({
      ...{ model: "base", messages, max_tokens: 3 },
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks: OpenAI.ChatCompletionChunk[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks.map(({ choices }) => choices[0]?.delta.content)).toEqual([
      "the ",
      "quick ",
      "brown ",
      undefined,
    ]);
    expect(chunks.at(-1)?.usage?.completion_tokens).toBe(3);
  });

  it("gets responses, completions and models", async () => {
    const { client } = await start({ adapters: ["lora"] });
    expect(
      (await client.responses.create({ model: "lora", input: "hi", max_output_tokens: 2 }))
        .output_text,
    ).toBe("the quick ");
    expect(
      (await client.completions.create({ model: "base", prompt: "hi", max_tokens: 1 })).choices[0]
        ?.text,
    ).toBe("the ");
    expect((await client.models.list()).data.map(({ id }) => id)).toEqual(["base", "lora"]);
  });

  it("gets 404 for an unknown model", async () => {
    const { client } = await start();
    await expect(client.completions.create({ model: "x", prompt: "" })).rejects.toMatchObject({
      status: 404,
    });
  });
});

it("a decoder fetches the blocks of a prefiller, and fails if it cannot", async () => {
  const prefiller = await start();
  const decoder = await start();
  const ask = async ({ server }: typeof decoder, transfer: object) => {
    const response = await fetch(`http://${server.address}/v1/chat/completions`, {
      method: "POST",
      body: JSON.stringify({
        model: "base",
        messages,
        max_tokens: 1,
        kv_transfer_params: transfer,
      }),
    });
    const answer = (await response.json()) as { kv_transfer_params?: object };
    return { status: response.status, transfer: answer.kv_transfer_params };
  };
  const { transfer = {} } = await ask(prefiller, { do_remote_decode: true });
  expect(transfer).toMatchObject({ do_remote_prefill: true, remote_port: prefiller.server.port });
  expect(await ask(decoder, transfer)).toEqual({ status: 200 });
  expect(decoder.server.served[0]?.prefiller).toBe(prefiller.server.address);
  decoder.server.cutOffFrom.add(prefiller.server.address);
  expect((await ask(decoder, transfer)).status).toBe(500);
});

it("the metrics page fails or hangs if a fault is set", async () => {
  const { server } = await start();
  const page = () =>
    fetch(`http://${server.address}/metrics`, { signal: AbortSignal.timeout(200) });
  expect(await (await page()).text()).toContain(
    'vllm:num_requests_waiting{engine="0",model_name="base"} 0',
  );
  server.metricsFault = "error";
  expect((await page()).status).toBe(500);
  server.metricsFault = "hang";
  await expect(page()).rejects.toThrow();
});
