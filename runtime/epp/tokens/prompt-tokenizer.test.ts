import { describe, expect, it } from "vitest";
import { parserNames } from "../../../scheduling/plugins/parsers.ts";
import { limits } from "../../limits.ts";
import { parsePayload } from "../payload/bodies.fixture.ts";
import { PromptTokenizer, type TokenOutcome } from "./prompt-tokenizer.ts";
import { TokenCache } from "./token-cache.ts";
import type { TokenizeRequest } from "./token-client.ts";

const payloadOf = (path: string, body: object) => {
  const bytes = Buffer.from(JSON.stringify({ model: "m", ...body }));
  return parsePayload({ path, headers: new Map(), body: bytes }, parserNames);
};

/** Returns a tokenizer whose server gives the responses of the test. */
function tokenizer(
  answer: (asked: TokenizeRequest) => Promise<number[][]> = async () => [[1, 2, 3]],
) {
  const outcomes: TokenOutcome[] = [];
  const asked: TokenizeRequest[] = [];
  const clock = { now: 0 };
  const made = new PromptTokenizer({
    client: {
      tokens(question) {
        asked.push(question);
        return answer(question);
      },
    },
    nextOrigin: () => "http://a:8000",
    isNeeded: () => true,
    timeoutMs: 60_000,
    now: () => clock.now,
    onOutcome: (outcome) => outcomes.push(outcome),
    onFailure() {},
  });
  const ask = (path: string, body: object) =>
    made.tokensOf({ payload: payloadOf(path, body), targetModel: "target" });
  return { made, ask, outcomes, asked, clock };
}

const chat = (content: unknown) => ({ messages: [{ role: "user", content }] });

describe("PromptTokenizer", () => {
  it("tokens that the client sent are used", () => {
    const { ask, asked, outcomes } = tokenizer();
    expect(ask("/v1/completions", { prompt: [1, 2] })).toEqual([[1, 2]]);
    expect(ask("/v1/completions", { prompt: [[1], [2]] })).toEqual([[1], [2]]);
    expect(ask("/inference/v1/generate", { token_ids: [3] })).toEqual([[3]]);
    expect([asked, new Set(outcomes)]).toEqual([[], new Set(["client"])]);
  });

  it("a prompt is tokenized once, with the target model, regardless of other fields", async () => {
    const { ask, asked, outcomes } = tokenizer();
    const first = ask("/v1/chat/completions", { ...chat("hi"), temperature: 1 });
    const same = ask("/v1/chat/completions", { ...chat("hi"), temperature: 0 });
    expect(same).toBe(first);
    expect(await first).toEqual([Uint32Array.of(1, 2, 3)]);
    expect(ask("/v1/chat/completions", chat("hi"))).toEqual([Uint32Array.of(1, 2, 3)]);
    expect(asked).toHaveLength(1);
    expect(JSON.parse(String(asked[0]?.body))).toMatchObject({ model: "target", ...chat("hi") });
    expect(outcomes).toEqual(["server", "cached"]);
  });

  it("a prompt is tokenized again with another template or other template fields", async () => {
    const { ask, asked } = tokenizer();
    await ask("/v1/chat/completions", chat("hi"));
    await ask("/v1/chat/completions", {
      ...chat("hi"),
      chat_template_kwargs: { enable_thinking: false },
    });
    await ask("/v1/chat/completions", { ...chat("hi"), tools: [] });
    await ask("/v1/completions", { prompt: "hi" });
    expect(
      asked.map(({ question }) => question.tokenize?.map(([name, value]) => `${name}=${value}`)),
    ).toEqual([
      ['messages=[{"role":"user","content":"hi"}]'],
      [
        'messages=[{"role":"user","content":"hi"}]',
        'chat_template_kwargs={"enable_thinking":false}',
      ],
      ['messages=[{"role":"user","content":"hi"}]', "tools=[]"],
      ['prompt="hi"'],
    ]);
  });

  it.each<[string, string, object]>([
    ["an image", "/v1/chat/completions", chat([{ type: "image_url", image_url: { url: "u" } }])],
    ["sound", "/v1/chat/completions", chat([{ type: "input_audio", input_audio: { data: "" } }])],
    ["several prompts", "/v1/completions", { prompt: ["a", "b"] }],
    ["a response stored at the server", "/v1/responses", { input: "x", previous_response_id: "r" }],
    ["embeddings", "/v1/embeddings", { input: "x" }],
    ["a long body", "/v1/completions", { prompt: "x".repeat(limits.tokenizedBody.value) }],
  ])("tokens are not requested for %s", (_, path, body) => {
    const { ask, asked, outcomes } = tokenizer();
    expect(ask(path, body)).toBeUndefined();
    expect([asked, outcomes]).toEqual([[], ["skipped"]]);
  });

  it("requests do not wait for tokens while the servers fail", async () => {
    const { made, ask, asked, outcomes, clock } = tokenizer(async () => {
      throw new Error("HTTP status 500");
    });
    for (const prompt of ["a", "b", "c"])
      expect(await ask("/v1/completions", { prompt })).toBeUndefined();
    expect(ask("/v1/completions", { prompt: "d" })).toBeUndefined();
    clock.now += 1_001;
    await ask("/v1/completions", { prompt: "e" });
    expect(asked).toHaveLength(4);
    expect(outcomes).toEqual(["failed", "failed", "failed", "skipped", "failed"]);
    expect(made.problem).toBe("http://a:8000: HTTP status 500");
  });

  it("the number of concurrent token requests is limited", () => {
    const { ask, asked } = tokenizer(() => new Promise(() => {}));
    for (let at = 0; at < 2 * limits.tokenQuestions.value; at += 1)
      void ask("/v1/completions", { prompt: `p${at}` });
    expect(asked).toHaveLength(limits.tokenQuestions.value);
  });
});

it("the token cache stays within its limit", () => {
  const cache = new TokenCache(10_000);
  for (let at = 0; at < 1_000; at += 1) {
    cache.set(`k${at}`, [new Uint32Array(100)]);
    expect(cache.get("k0")).toBeDefined();
    expect(cache.bytes).toBeLessThanOrEqual(10_000);
  }
  expect(cache.get("k1")).toBeUndefined();
  expect(cache.get("k999")).toBeDefined();
});
