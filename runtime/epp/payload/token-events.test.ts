import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytes, chatStream, responsesStream } from "./bodies.fixture.ts";
import { cut, cuts } from "./chunks.fixture.ts";
import { TokenEvents } from "./token-events.ts";
import { UsageReader } from "./usage.ts";

function counted(chunks: readonly Buffer[]): number {
  const events = new TokenEvents();
  for (const chunk of chunks) events.push(chunk);
  return events.count;
}

const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const chat = (delta: object) => event({ choices: [{ index: 0, delta, finish_reason: null }] });
const stream = [
  ": keep-alive\n\n",
  chat({ role: "assistant", content: "" }),
  chat({ content: "a" }),
  chat({ content: '"content":"b"' }),
  chat({ content: "\\" }),
  chat({ reasoning_content: "why", content: null }),
  chat({ tool_calls: [{ index: 0, function: { arguments: '{"a":' } }] }),
  chat({ content: "" }),
  "data: [DONE]\n\n",
].join("");

describe("events with generated text", () => {
  it("events with text are counted in a stream cut in two anywhere, and into bytes", () => {
    for (const chunks of cuts(bytes(stream))) expect(counted(chunks)).toBe(5);
  });

  it.each([
    ["completions", event({ choices: [{ text: "a", logprobs: { text_offset: [0] } }] }), 1],
    ["JSON with spaces", 'data: {"choices": [{"delta": {"content": "a"}}]}\n\n', 1],
    ["the responses API", responsesStream("m"), undefined],
    ["logprobs", chat({ content: "a", logprobs: { content: [{ token: "a" }] } }), 1],
    ["nothing", event({ choices: [] }), 0],
  ])("events with text are counted in %s", (_, text, count) => {
    const found = counted([bytes(text)]);
    if (count === undefined) expect(found).toBeGreaterThan(0);
    else expect(found).toBe(count);
  });

  it("every event with text is counted once, whatever its text and its chunks", () => {
    const places = fc.array(fc.nat({ max: 4000 }), { maxLength: 9 });
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" })), places, (texts, at) => {
        const events = texts.map((content) => chat({ content }));
        const tokens = texts.filter((text) => text !== "").length;
        expect(counted(cut(bytes(events.join("")), at))).toBe(tokens);
        expect(counted(events.map(bytes))).toBe(tokens);
      }),
    );
  });
});

describe("the usage of a stream", () => {
  const usage = (text: string) => {
    const reader = new UsageReader();
    reader.push(bytes(text));
    return reader.usage();
  };

  it("is the number of its events if it reports no usage", () => {
    const counts = { inputTokens: undefined, outputTokens: 5, cachedTokens: undefined };
    expect(usage(stream)).toEqual(counts);
  });

  it("is the reported number if the stream reports it, and no events are counted", () => {
    expect(usage(chatStream("m"))).toMatchObject({ inputTokens: 12, outputTokens: 8 });
  });

  it("is undefined for a body that is not a stream", () => {
    expect(usage('{"choices":[{"message":{"content":"a"}}]}')).toBeUndefined();
  });
});
