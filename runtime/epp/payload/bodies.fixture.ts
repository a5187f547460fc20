import { type RequestHead, readingOf } from "./parse.ts";
import type { Payload } from "./payload.ts";

/** Requests and responses as clients and servers send them. */

const weatherTool = {
  type: "function",
  function: {
    name: "get_weather",
    description: "Weather of a city",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};

export const completionsRequest = { model: "llama", prompt: "Once upon a time", max_tokens: 16 };

export const chatRequest = {
  model: "llama",
  messages: [
    { role: "system", content: "You are brief." },
    {
      role: "user",
      content: [
        { type: "text", text: "What is in this picture, and is it warm there?" },
        { type: "image_url", image_url: { url: "https://pictures.example/beach.png" } },
      ],
    },
    {
      role: "assistant",
      content: null,
      tool_calls: [
        {
          id: "call_1",
          type: "function",
          function: { name: "get_weather", arguments: '{"city":"Nice","model":"llama"}' },
        },
      ],
    },
    { role: "tool", tool_call_id: "call_1", content: '{"celsius": 27}' },
  ],
  tools: [weatherTool],
  stream: true,
  seed: 1234567890,
};

export const responsesRequest = {
  model: "llama",
  instructions: "Answer in one line.",
  input: [
    { role: "user", content: [{ type: "input_text", text: "Who wrote Faust?" }] },
    { type: "function_call_output", call_id: "call_1", output: "Goethe" },
  ],
  stream: true,
};

export const messagesRequest = {
  model: "claude",
  max_tokens: 64,
  system: [
    { type: "text", text: "x-anthropic-billing-header: cch=17" },
    { type: "text", text: "You mend code." },
  ],
  tools: [{ name: "read", input_schema: { type: "object" } }],
  messages: [
    { role: "user", content: "Open the file." },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "It is small.", signature: "sig" },
        { type: "tool_use", id: "toolu_1", name: "read", input: { path: "a.ts" } },
      ],
    },
    {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: "toolu_1",
          content: [{ type: "text", text: "export {}" }],
        },
        { type: "image", source: { type: "url", url: "https://pictures.example/error.png" } },
      ],
    },
  ],
};

export const bytes = (value: unknown): Buffer =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value));

const events = (...data: unknown[]) =>
  data.map((value) => `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`);

const named = (...data: Array<{ type: string; [field: string]: unknown }>) =>
  data.map((value) => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`);

/** A chat completion of a model. Its text contains `"model":"target"` too. */
export const chatResponse = (model: string) => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1739400043,
  model,
  choices: [
    {
      index: 0,
      message: {
        role: "assistant",
        content: 'I am "model":"target", {"model": "target"}.',
        tool_calls: [
          { id: "c", type: "function", function: { name: "f", arguments: '{"model":"target"}' } },
        ],
      },
      model: "target",
    },
  ],
  usage: {
    prompt_tokens: 12,
    completion_tokens: 8,
    total_tokens: 20,
    prompt_tokens_details: { cached_tokens: 4 },
  },
});

/** The same response as a stream. */
export function chatStream(model: string): string {
  const chunk = (choices: unknown[], more: object = {}) => ({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1739400043,
    model,
    choices,
    ...more,
  });
  const delta = (content: string) => chunk([{ index: 0, delta: { content } }], { usage: null });
  return [
    ": keep-alive\n\n",
    ...events(
      chunk([{ index: 0, delta: { role: "assistant", content: "" } }]),
      delta('"model":"'),
      delta('target"'),
      delta('{"usage": {"prompt_tokens": 99}}'),
      chunk([], {
        usage: {
          prompt_tokens: 12,
          completion_tokens: 8,
          prompt_tokens_details: { cached_tokens: 4 },
        },
      }),
      "[DONE]",
    ),
  ].join("");
}

export function responsesStream(model: string): string {
  const response = (status: string, usage: unknown) => ({
    id: "resp_1",
    object: "response",
    status,
    model,
    output: [],
    tools: [{ type: "function", model: "target" }],
    usage,
  });
  return named(
    { type: "response.created", response: response("in_progress", null) },
    { type: "response.output_text.delta", delta: '"model":"target"' },
    {
      type: "response.completed",
      response: response("completed", {
        input_tokens: 31,
        input_tokens_details: { cached_tokens: 16 },
        output_tokens: 5,
      }),
    },
  ).join("");
}

export function messagesStream(model: string): string {
  return named(
    {
      type: "message_start",
      message: {
        id: "msg_1",
        role: "assistant",
        model,
        content: [],
        usage: { input_tokens: 25, cache_read_input_tokens: 10, output_tokens: 1 },
      },
    },
    {
      type: "content_block_delta",
      index: 0,
      delta: { type: "text_delta", text: '"model": "target"' },
    },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 15 } },
    { type: "message_stop" },
  ).join("");
}

/** Parses a body that arrived whole. */
export const parsePayload = (
  { body, ...head }: RequestHead & { readonly body: Buffer },
  parsers: readonly string[],
): Payload => readingOf(head, parsers).payload(body);
