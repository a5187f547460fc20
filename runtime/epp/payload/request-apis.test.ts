import { describe, expect, it } from "vitest";
import { parserNames } from "../../../scheduling/plugins/parsers.ts";
import {
  bytes,
  chatRequest,
  messagesRequest,
  parsePayload,
  responsesRequest,
} from "./bodies.fixture.ts";
import { mediaText, mediaTextLength } from "./media-text.ts";

const prompts = (path: string, body: unknown) =>
  parsePayload({ path, headers: new Map(), body: bytes(body) }, parserNames).prompts;
const chat = (...messages: object[]) => prompts("/v1/chat/completions", { messages })[0];

describe("prompts", () => {
  it.each([
    ["of a string", "/v1/completions", { prompt: "a" }, ["a"]],
    ["of strings", "/v1/completions", { prompt: ["a", "", "b"] }, ["a", "", "b"]],
    [
      "of tokens, four characters each",
      "/v1/completions",
      { prompt: [0, 1, 64] },
      ["000010000100"],
    ],
    [
      "of lists of tokens",
      "/v1/completions",
      { prompt: [[1], [2, 2 ** 24 - 1]] },
      ["1000", "2000oooo"],
    ],
    ["of strings to embed", "/v1/embeddings", { input: ["a", "b"] }, ["a", "b"]],
    ["of a string to embed", "/v1/embeddings", { input: "a" }, ["a"]],
    ["of a picture to make", "/v1/images/generations", { prompt: "a cat" }, []],
    ["of generated tokens", "/inference/v1/generate", { token_ids: [1] }, ["1000"]],
    ["of a string to respond to", "/v1/responses", { input: "a", instructions: "i" }, ["ia"]],
    ["of a request that only counts tokens", "/v1/messages/count_tokens", messagesRequest, []],
  ])("prompts %s are read", (_, path, body, expected) => {
    expect(prompts(path, body)).toEqual(expected);
  });

  it("prompts of a chat are tools, then roles, contents and tool calls", () => {
    expect(prompts("/v1/chat/completions", chatRequest)).toEqual([
      [
        JSON.stringify(chatRequest.tools),
        "systemYou are brief.",
        "userWhat is in this picture, and is it warm there?",
        mediaText("https://pictures.example/beach.png"),
        'assistantget_weather{"city":"Nice","model":"llama"}',
        'tool{"celsius": 27}',
      ].join(""),
    ]);
  });

  it.each([
    ["image_url", true],
    ["video_url", true],
    ["audio_url", true],
    ["input_audio", true],
    ["text", false],
  ])("a chat with a part of type %s has media: %s", (type, expected) => {
    const messages = [
      { role: "system", content: "image_url" },
      { role: "user", content: ["x", { type: "text", text: "a" }, { type }] },
    ];
    const payloadOf = (path: string) =>
      parsePayload({ path, headers: new Map(), body: bytes({ messages }) }, parserNames);
    expect(payloadOf("/v1/chat/completions").hasMedia).toBe(expected);
    expect(payloadOf("/v1/messages").hasMedia).toBe(false);
  });

  it("prompts of a chat omit empty tools", () => {
    const messages = [{ role: "user", content: "a" }];
    for (const tools of [[], null])
      expect(prompts("/v1/chat/completions", { messages, tools })).toEqual(["usera"]);
  });

  it("the prompt of a chat contains the last of two tools fields, with the escapes of the client", () => {
    const body = '{"tools":[1],"messages":[{"role":"é","content":"ü"}],"tools":[ "ä\\u00e4", 2 ]}';
    expect(prompts("/v1/chat/completions", body)).toEqual(['[ "ä\\u00e4", 2 ]éü']);
  });

  it("prompts of a chat include sounds and videos, and skip invalid content", () => {
    expect(
      chat(
        {
          role: "user",
          content: [{ type: "input_audio", input_audio: { data: "AAAA" } }, 7, null],
        },
        { role: "user", content: [{ type: "video_url", video_url: { url: "v" } }] },
        { role: "user", content: [{ type: "audio_url", audio_url: "s" }, { type: "image_url" }] },
        { role: 7, content: 7, tool_calls: [7, {}, { function: {} }] },
      ),
    ).toBe(`user${mediaText("AAAA")}user${mediaText("v")}user${mediaText("s")}`);
  });

  it("prompts of Anthropic messages omit the block in which Claude Code numbers its requests", () => {
    expect(prompts("/v1/messages", messagesRequest)).toEqual([
      [
        JSON.stringify(messagesRequest.tools),
        "You mend code.",
        "userOpen the file.",
        'assistantIt is small.toolu_1read{"path":"a.ts"}',
        "userexport {}",
        mediaText("https://pictures.example/error.png"),
      ].join(""),
    ]);
  });

  it("prompts of Anthropic messages accept a string as system", () => {
    const messages = [{ role: "user", content: "a" }];
    expect(prompts("/v1/messages", { messages, system: "s" })).toEqual(["susera"]);
  });

  it("prompts of items are their JSON", () => {
    expect(prompts("/v1/responses", responsesRequest)).toEqual([
      `Answer in one line.${JSON.stringify(responsesRequest.input)}`,
    ]);
    const items = [{ type: "message", role: "user", content: "a" }];
    expect(prompts("/v1/conversations", { items })).toEqual([JSON.stringify(items)]);
  });

  it("prompts of a longer conversation start with the prompt of the shorter one", () => {
    const [first, ...others] = chatRequest.messages as [object, ...object[]];
    expect(chat(first, ...others)?.startsWith(chat(first) as string)).toBe(true);
  });
});

describe("the text of a medium", () => {
  const picture = (pixel: string) => `data:image/png;base64,${pixel.repeat(400_000)}`;
  it("has a fixed length, whatever the length of the medium", () => {
    for (const content of ["a", "https://pictures.example/a.png", picture("ABcd")])
      expect(mediaText(content)).toHaveLength(mediaTextLength);
  });

  it("differs between different media", () => {
    const texts = [picture("ABcd"), picture("ABce"), `${picture("ABcd")}A`, "a", "b"].map(
      mediaText,
    );
    expect(new Set(texts).size).toBe(texts.length);
    expect(mediaText(picture("ABcd"))).toBe(texts[0]);
  });
});
