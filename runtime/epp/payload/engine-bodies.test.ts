import { describe, expect, it } from "vitest";
import { parserNames } from "../../../scheduling/plugins/parsers.ts";
import { bytes, parsePayload } from "./bodies.fixture.ts";
import type { Payload } from "./payload.ts";

const model = "m";
const user = [{ role: "user", content: "Who wrote Faust?" }];
const picture = { type: "image_url", image_url: { url: "https://pictures.example/cat.png" } };
const withPicture = [{ role: "user", content: [picture, { type: "text", text: "Represent it." }] }];
/** Start of the base64 of a saved tensor. */
const embeds = `UEsDBAAACAg${"A".repeat(1_000)}`;

/**
 * Request formats that the engines accept, from the request classes of vllm 0.33.0 and sglang 0.5.23 (wheels of PyPI)
 * and from the clients in vLLM's examples: class or client, path, body.
 */
const accepted: ReadonlyArray<readonly [source: string, path: string, body: object]> = [
  // vllm/entrypoints/openai/completion/protocol.py: prompt, prompt_embeds, or both.
  ["vllm CompletionRequest, text", "/v1/completions", { model, prompt: "a" }],
  ["vllm CompletionRequest, texts", "/v1/completions", { model, prompt: ["a", "b"] }],
  ["vllm CompletionRequest, tokens", "/v1/completions", { model, prompt: [1, 2] }],
  ["vllm CompletionRequest, lists of tokens", "/v1/completions", { model, prompt: [[1], [2, 3]] }],
  [
    "vllm prompt_embeds client",
    "/v1/completions",
    { model, prompt: "", max_tokens: 5, temperature: 0, prompt_embeds: embeds },
  ],
  ["vllm prompt_embeds alone", "/v1/completions", { model, prompt_embeds: embeds }],
  [
    "vllm prompt_embeds, null prompt",
    "/v1/completions",
    { model, prompt: null, prompt_embeds: embeds },
  ],
  ["vllm prompt_embeds, several", "/v1/completions", { model, prompt_embeds: [embeds, embeds] }],
  ["vllm prompt_embeds and text", "/v1/completions", { model, prompt: "a", prompt_embeds: embeds }],
  [
    "vllm prompt_embeds, empty list and text",
    "/v1/completions",
    { model, prompt: "a", prompt_embeds: [] },
  ],
  // vllm/entrypoints/openai/chat_completion/protocol.py
  ["vllm ChatCompletionRequest", "/v1/chat/completions", { model, messages: user }],
  ["vllm ChatCompletionRequest, image", "/v1/chat/completions", { model, messages: withPicture }],
  [
    "vllm ChatCompletionRequest, prompt_embeds part",
    "/v1/chat/completions",
    { model, messages: [{ role: "user", content: [{ type: "prompt_embeds", data: embeds }] }] },
  ],
  [
    "vllm BatchChatCompletionRequest",
    "/v1/chat/completions/batch",
    { model, messages: [user, user] },
  ],
  // vllm/entrypoints/pooling/embed/protocol.py: five forms
  ["vllm EmbeddingCompletionRequest, text", "/v1/embeddings", { model, input: "a" }],
  ["vllm EmbeddingCompletionRequest, empty text", "/v1/embeddings", { model, input: "" }],
  ["vllm EmbeddingCompletionRequest, tokens", "/v1/embeddings", { model, input: [[1], [2]] }],
  [
    "vllm EmbeddingChatRequest",
    "/v1/embeddings",
    { model, messages: withPicture, encoding_format: "float" },
  ],
  ["vllm EmbeddingBatchChatRequest", "/v1/embeddings", { model, messages: [user, withPicture] }],
  ["vllm EmbeddingChatInputRequest", "/v1/embeddings", { model, input: user }],
  ["vllm EmbeddingBatchChatInputRequest", "/v1/embeddings", { model, input: [user, user] }],
  // vllm/entrypoints/openai/responses/protocol.py
  ["vllm ResponsesRequest, text", "/v1/responses", { model, input: "a" }],
  ["vllm ResponsesRequest, items", "/v1/responses", { model, input: user }],
  [
    "vllm ResponsesRequest, tool output",
    "/v1/responses",
    {
      model,
      input: [{ type: "function_call_output", call_id: "call_1", output: "27" }],
      previous_response_id: "resp_1",
      tools: [{ type: "function", name: "weather", parameters: {} }],
    },
  ],
  [
    "vllm ResponsesRequest, background",
    "/v1/responses",
    { model, input: "a", background: true, store: true },
  ],
  // vllm/entrypoints/anthropic/protocol.py
  [
    "vllm AnthropicMessagesRequest",
    "/v1/messages",
    { model, max_tokens: 9, messages: user, system: "s" },
  ],
  ["vllm AnthropicCountTokensRequest", "/v1/messages/count_tokens", { model, messages: user }],
  // vllm/entrypoints/scale_out/token_in_token_out/protocol.py
  [
    "vllm GenerateRequest",
    "/inference/v1/generate",
    { model, token_ids: [1], sampling_params: {} },
  ],
  // No parser reads these. They are forwarded unchanged.
  ["vllm ScoreRequest", "/v1/score", { model, text_1: "a", text_2: ["b"] }],
  ["vllm RerankRequest", "/v1/rerank", { model, query: "a", documents: ["b"] }],
  ["vllm PoolingRequest", "/pooling", { model, input: "a" }],
  ["vllm CohereEmbedRequest", "/v2/embed", { model, texts: ["a"], input_type: "query" }],
  // sglang/srt/entrypoints/openai/protocol.py
  ["sglang CompletionRequest", "/v1/completions", { model, prompt: [[1], [2]], rid: "r" }],
  ["sglang ChatCompletionRequest", "/v1/chat/completions", { model, messages: user, rid: "r" }],
  ["sglang EmbeddingRequest, tokens", "/v1/embeddings", { model, input: [1, 2] }],
  [
    "sglang EmbeddingRequest, MultimodalEmbeddingInput",
    "/v1/embeddings",
    { model, input: [{ text: "a", image: "https://pictures.example/cat.png" }, { text: "b" }] },
  ],
  ["sglang ResponsesRequest", "/v1/responses", { model, input: user, request_id: "resp_1" }],
  ["sglang GenerateReqInput", "/generate", { text: "a", sampling_params: { max_new_tokens: 5 } }],
  ["sglang GenerateReqInput, embeds", "/generate", { input_embeds: [[0.1, 0.2]] }],
];

const parse = (path: string | undefined, body: object): Payload =>
  parsePayload({ path, headers: new Map(), body: bytes(body) }, parserNames);

describe("request formats that engines accept", () => {
  it.each(accepted)("%s is accepted", (_, path, body) => {
    expect(() => parse(path, body).prompts).not.toThrow();
  });
});

describe("a prompt of embeddings", () => {
  it("has no text and no tokens, and is counted by its size", () => {
    const payload = parse("/v1/completions", { model, prompt: "", prompt_embeds: embeds });
    expect(payload.prompts).toEqual([]);
    expect(payload.tokenInput).toBeUndefined();
    expect(payload.tokensBeyond).toBe(1);
    const tenTokens = "A".repeat((10 * 4096 * 2 * 4) / 3);
    const long = parse("/v1/completions", { model, prompt_embeds: [tenTokens] });
    expect(long.tokensBeyond).toBe(11);
  });

  it("is counted in addition to the text next to it", () => {
    expect(parse("/v1/completions", { model, prompt: "a", prompt_embeds: embeds })).toMatchObject({
      prompts: ["a"],
      tokensBeyond: 1,
    });
  });

  it("is read as completions if the proxy sends no path", () => {
    expect(parse(undefined, { model, prompt_embeds: embeds }).parser).toBe("openai-parser");
  });

  it.each([
    [{ prompt_embeds: [] }],
    [{ prompt_embeds: "" }],
    [{ prompt_embeds: null, prompt: "" }],
  ])("is refused if it is empty: %j", (body) => {
    expect(() => parse("/v1/completions", body)).toThrow(
      "invalid completions request: must have prompt field",
    );
  });
});

describe("embeddings", () => {
  it.each([
    ["messages", { messages: user }, JSON.stringify(user)],
    ["input", { input: user }, JSON.stringify(user)],
    ["several chats", { messages: [user, user] }, JSON.stringify([user, user])],
  ])("embeddings of a chat use %s as their prompt", (_, body, expected) => {
    expect(parse("/v1/embeddings", body).prompts).toEqual([expected]);
  });

  it.each([
    [{}],
    [{ input: [] }],
    [{ messages: [] }],
    [{ messages: [[]] }],
    [{ input: [1, "a"] }],
    [{ input: 7 }],
  ])("embeddings without input are refused: %j", (body) => {
    expect(() => parse("/v1/embeddings", body)).toThrow(
      "invalid embeddings request: must have input field",
    );
  });
});
