import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  bytes,
  chatResponse,
  chatStream,
  messagesStream,
  responsesStream,
} from "./bodies.fixture.ts";
import { cut, cuts, lineEnd, otherLine, places, responseObject } from "./chunks.fixture.ts";
import { UsageReader } from "./usage.ts";

function usage(chunks: readonly Buffer[]) {
  const reader = new UsageReader();
  for (const chunk of chunks) reader.push(chunk);
  return reader.usage();
}

const usageOf = (body: unknown) => usage([bytes(body)]);
const counts = (inputTokens: number, outputTokens: number, cachedTokens?: number) => ({
  inputTokens,
  outputTokens,
  cachedTokens,
});

describe("the usage of a response cut in two anywhere, and into bytes", () => {
  it.each([
    ["chat", JSON.stringify(chatResponse("m")), counts(12, 8, 4)],
    ["chat stream", chatStream("m"), counts(12, 8, 4)],
    ["responses stream", responsesStream("m"), counts(31, 5, 16)],
    ["messages stream", messagesStream("m"), counts(25, 15, 10)],
    ["chat stream of CRLF lines", chatStream("m").replaceAll("\n", "\r\n"), counts(12, 8, 4)],
    ["indented JSON", `\n ${JSON.stringify(chatResponse("m"), null, 2)}`, counts(12, 8, 4)],
  ])("is read as %s", (_, text, expected) => {
    for (const chunks of cuts(bytes(text))) expect(usage(chunks)).toEqual(expected);
  });
});

describe("usage", () => {
  it.each(["1e15", "16777217", "-5", "0.5", "1e400", "NaN", '"7"', "[7]"])(
    "does not count a response with %s tokens",
    (tokens) => {
      const plain = `{"usage":{"prompt_tokens":3,"completion_tokens":${tokens}}}`;
      expect(usage([Buffer.from(plain)])?.outputTokens ?? 0).toBe(0);
      const details = `{"cached_tokens":${tokens}}`;
      const cached = `{"usage":{"prompt_tokens":3,"completion_tokens":4,"prompt_tokens_details":${details}}}`;
      expect(usage([Buffer.from(cached)])?.cachedTokens).toBeUndefined();
      const stream = `data: {"choices":[{"text":"a"}]}\n\ndata: {"choices":[],"usage":{"input_tokens":${tokens},"output_tokens":${tokens}}}\n\ndata: [DONE]\n\n`;
      const { inputTokens = 0, outputTokens = 0 } = usage([Buffer.from(stream)]) ?? {};
      expect(Math.max(inputTokens, outputTokens)).toBeLessThanOrEqual(2);
    },
  );

  it("reads counts up to 16,777,216 tokens", () => {
    const most = { prompt_tokens: 2 ** 24, completion_tokens: 2 ** 24 };
    expect(usageOf({ usage: most })).toEqual(counts(2 ** 24, 2 ** 24));
  });

  it.each([
    ["embeddings", { usage: { prompt_tokens: 3, total_tokens: 3 } }, counts(3, 0)],
    [
      "messages",
      { usage: { input_tokens: 3, output_tokens: 4, cache_read_input_tokens: 1 } },
      counts(3, 4, 1),
    ],
    [
      "responses",
      { usage: { input_tokens: 3, output_tokens: 4, input_tokens_details: { cached_tokens: 2 } } },
      counts(3, 4, 2),
    ],
    [
      "details that are null",
      { usage: { prompt_tokens: 3, completion_tokens: 4, prompt_tokens_details: null } },
      counts(3, 4),
    ],
    [
      "counts that are not numbers",
      { usage: { prompt_tokens: "3", completion_tokens: null } },
      counts(0, 0),
    ],
  ])("usage is read from %s", (_, body, expected) => {
    expect(usageOf(body)).toEqual(expected);
  });

  it.each([
    ["no body", ""],
    ["usage that is null", { id: 1, usage: null }],
    [
      "nested usage",
      { choices: [{ usage: { prompt_tokens: 1 } }], x: { usage: { prompt_tokens: 1 } } },
    ],
    ["text", { text: '"usage":{"prompt_tokens":1}' }],
    ["a list", [{ usage: { prompt_tokens: 1 } }]],
    ["JSON that is cut", '{"usage":{"prompt_tokens":1'],
    ["a chunk that is not JSON", '{"usage":{prompt_tokens}}'],
    ["other lines of events", ': {"usage":{"prompt_tokens":1}}\n\n'],
    ["usage that is too long", { usage: { prompt_tokens: 1, x: "x".repeat(20_000) } }],
  ])("is undefined for %s", (_, body) => {
    expect(usageOf(body)).toBeUndefined();
    expect(usage(cut(bytes(body), [3, 7, 11, 5000]))).toBeUndefined();
  });

  it("is the last usage object of a stream", () => {
    const events = [1, 2, 3].map((n) => `data: {"usage":{"completion_tokens":${n}}}\n\n`);
    expect(usageOf(events.join(""))).toEqual(counts(0, 3));
  });

  it("the reader keeps no chunk of a long stream", () => {
    const reader = new UsageReader();
    const chunk = () =>
      Buffer.from(`data: {"x":"${"x".repeat(1000)}","usage":{"prompt_tokens":1}}\n\n`);
    const references = Array.from({ length: 100 }, () => {
      const bytes = chunk();
      reader.push(bytes);
      return bytes;
    });
    for (const bytes of references) bytes.fill(0);
    expect(reader.usage()).toEqual(counts(1, 0));
  });
});

/** Reference: the usage objects of a whole response, in order. */
function usageObjects(object: Record<string, unknown>): unknown[] {
  return Object.entries(object).flatMap(([key, value]) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
    if (key === "usage") return [value];
    const held = (value as Record<string, unknown>).usage;
    const isHolder = key === "response" || key === "message";
    return isHolder && typeof held === "object" && held !== null && !Array.isArray(held)
      ? [held]
      : [];
  });
}

describe("random usage in random chunks", () => {
  const isCount = (value: unknown) =>
    Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 2 ** 24;
  const number = (...values: unknown[]) => values.find(isCount) ?? 0;
  const expected = (objects: unknown[]) => {
    const [first, last] = [objects[0], objects.at(-1)] as Array<Record<string, number> | undefined>;
    if (first === undefined || last === undefined) return undefined;
    return counts(
      Number(number(last.prompt_tokens, first.prompt_tokens)),
      Number(number(last.output_tokens, first.output_tokens)),
    );
  };

  it("usage in JSON is read like from a whole object", () => {
    fc.assert(
      fc.property(responseObject(["m"]), places, (object, at) => {
        const body = JSON.stringify(object);
        expect(usage(cut(bytes(body), at))).toEqual(expected(usageObjects(JSON.parse(body))));
      }),
    );
  });

  it("usage in events is read like from whole objects", () => {
    const lines = fc.array(fc.tuple(fc.oneof(responseObject(["m"]), otherLine), lineEnd));
    fc.assert(
      fc.property(lines, places, (lines, at) => {
        const data = lines.map(([line]) => (typeof line === "string" ? {} : line));
        const text = lines
          .map(
            ([line, end]) =>
              (typeof line === "string" ? line : `data: ${JSON.stringify(line)}`) + end,
          )
          .join("");
        const objects = data.flatMap((line) => usageObjects(JSON.parse(JSON.stringify(line))));
        const found = usage(cut(bytes(text), at));
        // Without a usage object, events that look like generated text are counted.
        expect(found?.inputTokens === undefined ? undefined : found).toEqual(expected(objects));
      }),
    );
  });
});
