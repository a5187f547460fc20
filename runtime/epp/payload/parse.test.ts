import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parserNames } from "../../../scheduling/plugins/parsers.ts";
import { RequestError } from "../../../scheduling/requests/request-error.ts";
import {
  bytes,
  chatRequest,
  completionsRequest,
  messagesRequest,
  parsePayload,
  responsesRequest,
} from "./bodies.fixture.ts";
import { readingOf } from "./parse.ts";
import type { Payload } from "./payload.ts";

const none = new Map<string, string>();

function parse(
  path: string | undefined,
  body: unknown,
  { headers = none, parsers = parserNames as readonly string[] } = {},
): Payload {
  return parsePayload({ path, headers, body: Buffer.isBuffer(body) ? body : bytes(body) }, parsers);
}

function refusal(...request: Parameters<typeof parse>): string {
  try {
    parse(...request);
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    return `${error.status} ${error.message}`;
  }
  return "none";
}

describe("a payload", () => {
  it("has the parser, model, stream flag and salt of a chat", () => {
    const body = bytes({ ...chatRequest, cache_salt: "tenant" });
    const payload = parse("/v1/chat/completions", body);
    expect(payload).toMatchObject({
      parser: "openai-parser",
      model: "llama",
      modelSpans: [{ start: 9, end: 16 }],
      streaming: true,
      cacheSalt: "tenant",
    });
    expect(payload.body).toBe(body);
    expect(payload.prompts).toHaveLength(1);
  });

  it("streams only if the client sends true", () => {
    const streaming = (stream: unknown) =>
      parse("/v1/completions", { ...completionsRequest, stream }).streaming;
    expect([true, false, 1, "true", null, undefined].map(streaming)).toEqual([
      true,
      false,
      false,
      false,
      false,
      false,
    ]);
  });

  it("may have no model, and then has a span to insert one", () => {
    expect(parse("/v1/completions", ' {"prompt":"a"}')).toMatchObject({
      model: undefined,
      modelSpans: [{ start: 2, end: 2 }],
    });
    expect(parse("/v1/completions", '{"model":null,"prompt":"a"}')).toMatchObject({
      model: undefined,
      modelSpans: [{ start: 9, end: 13 }],
    });
  });

  it("has the model of the outermost object only", () => {
    const body = '{"metadata":{"model":"x"},"prompt":"\\"model\\":\\"y\\"","list":[{"model":"z"}]}';
    expect(parse("/v1/completions", body)).toMatchObject({
      model: undefined,
      modelSpans: [{ start: 1, end: 1 }],
    });
  });

  it("has no fields if the bytes are not a form", () => {
    const headers = new Map([["content-type", "multipart/form-data; boundary=x"]]);
    expect(parse("/v1/audio/transcriptions", "\xff not JSON", { headers })).toMatchObject({
      parser: "passthrough-parser",
      unread: "the multipart form does not begin with the boundary of its content-type",
      model: undefined,
      modelSpans: undefined,
      prompts: [],
    });
  });

  it.each(["/invocations", "/generate", "/tokenize", "/v1/score", "/v1/completions%3b", "/"])(
    "of JSON at %s has its model and engine fields, and no prompt",
    (path) => {
      const body = { model: "m", prompt: "p", kv_transfer_params: { do_remote_prefill: true } };
      expect(parse(path, JSON.stringify(body))).toMatchObject({
        model: "m",
        engineFields: [{ name: "kv_transfer_params" }],
        prompts: path.includes("completions") ? ["p"] : [],
      });
      expect(refusal(path, "{not JSON")).toMatch(/^400 /);
    },
  );

  it("of JSON at another path may have no model", () => {
    expect(parse("/generate", '{"text":"p"}')).toMatchObject({
      model: undefined,
      needsModel: false,
    });
  });

  it("is not read if passthrough is the only parser", () => {
    const only = { parsers: ["passthrough-parser"] };
    expect(parse("/v1/completions", "not JSON", only)).toMatchObject({ modelSpans: undefined });
  });
});

describe("a request without a path", () => {
  const anthropic = new Map([["anthropic-version", "2023-06-01"]]);
  it.each([
    ["chat", chatRequest, none, "openai-parser"],
    ["messages by their system", messagesRequest, none, "anthropic-parser"],
    ["messages by their header", { ...chatRequest, tools: [] }, anthropic, "anthropic-parser"],
    ["completions", completionsRequest, none, "openai-parser"],
    ["responses", responsesRequest, none, "openai-parser"],
    ["embeddings", { model: "e", input: ["a", "b"] }, none, "openai-parser"],
    ["conversations", { items: [{ role: "user", content: "a" }] }, none, "openai-parser"],
    ["tokens", { token_ids: [1, 2] }, none, "vllmhttp-parser"],
    ["something else", { model: "m" }, none, "passthrough-parser"],
  ])("is read as %s", (_, body, headers, parser) => {
    expect(parse(undefined, body, { headers }).parser).toBe(parser);
  });

  it("is read by a configured parser", () => {
    expect(parse(undefined, messagesRequest, { parsers: ["openai-parser"] }).parser).toBe(
      "openai-parser",
    );
    expect(parse(undefined, chatRequest, { parsers: ["anthropic-parser"] }).parser).toBe(
      "anthropic-parser",
    );
  });

  it("is refused if no field identifies its API and no parser accepts everything", () => {
    expect(refusal(undefined, { model: "m" }, { parsers: ["openai-parser"] })).toBe(
      "400 no parser: the request has no path, and no field of its body identifies its API; configured: openai-parser",
    );
  });

  it("is not read if its type is not JSON", () => {
    const headers = new Map([["content-type", "multipart/form-data; boundary=x"]]);
    expect(parse(undefined, "--x", { headers }).parser).toBe("passthrough-parser");
    expect(refusal(undefined, "--x")).toMatch("400 error unmarshaling request bodyMap: ");
  });

  it("is not read if no parser reads bodies", () => {
    const parsers = ["passthrough-parser"];
    expect(parse(undefined, "--x", { parsers }).parser).toBe("passthrough-parser");
    expect(readingOf({ path: undefined, headers: none }, parsers)).toMatchObject({
      reader: undefined,
      unread: "no parser reads this content-type at this path",
    });
  });
});

describe("a request is refused", () => {
  const prompt = "400 invalid completions request: must have prompt field";
  const chat = "400 invalid chat completions request: must have valid messages field";
  const input = "400 invalid embeddings request: must have input field";
  const anthropic = "400 invalid messages request: must have at least one message";
  const generate = "400 invalid generate request: must have non-empty token_ids field";
  it.each([
    ["/v1/completions", {}, prompt],
    ["/v1/completions", { prompt: null }, prompt],
    ["/v1/completions", { prompt: "" }, prompt],
    ["/v1/completions", { prompt: [] }, prompt],
    ["/v1/completions", { prompt: {} }, prompt],
    ["/v1/completions", { prompt: ["a", 1] }, prompt],
    ["/v1/completions", { prompt: [1.5] }, prompt],
    ["/v1/completions", { prompt: [-1] }, prompt],
    ["/v1/completions", { prompt: [[1], []] }, prompt],
    ["/v1/chat/completions", { prompt: "a" }, chat],
    ["/v1/chat/completions", { messages: [] }, chat],
    ["/v1/chat/completions", { messages: "a" }, chat],
    ["/v1/chat/completions", { messages: [null] }, chat],
    ["/v1/chat/completions", { messages: [{ role: "user" }, []] }, chat],
    ["/v1/responses", {}, "400 invalid responses request: must have input field"],
    ["/v1/responses", { input: null }, "400 invalid responses request: must have input field"],
    [
      "/v1/conversations",
      { items: "a" },
      "400 invalid conversations request: items must be a list",
    ],
    ["/v1/embeddings", { input: [] }, input],
    [
      "/v1/images/generations",
      { prompt: ["a"] },
      "400 invalid images generations request: must have prompt field",
    ],
    ["/v1/messages", { messages: [] }, anthropic],
    ["/v1/messages/count_tokens", {}, anthropic],
    ["/inference/v1/generate", { token_ids: [] }, generate],
    ["/inference/v1/generate", { token_ids: [2 ** 32] }, generate],
    [
      "/v1/completions",
      { model: 7, prompt: "a" },
      "400 model not found in request body: model must be a string, got a number",
    ],
    [
      "/v1/completions",
      '{"model":["b"],"prompt":"a"}',
      "400 model not found in request body: model must be a string, got an array",
    ],
    // A7: a server that reads the first model would serve one that the picker did not check.
    [
      "/v1/completions",
      '{"model":"a","prompt":"p","mod\\u0065l" : "b"}',
      "400 the request body has 2 members named model; send one",
    ],
    [
      "/v1/completions",
      `{"model":"${"m".repeat(254)}","prompt":"p"}`,
      "400 the name of the model is longer than 253 bytes",
    ],
    [
      "/v1/completions",
      `{"model":"${"é".repeat(127)}","prompt":"p"}`,
      "400 the name of the model is longer than 253 bytes",
    ],
    [
      "/v1/completions",
      `{"model":"${"m".repeat(5_000_000)}","prompt":"p"}`,
      "400 the name of the model is longer than 253 bytes",
    ],
    [
      "/v1/completions",
      "[]",
      '400 error unmarshaling request bodyMap: unexpected "[" at position 0',
    ],
    [
      "/v1/completions",
      "null",
      '400 error unmarshaling request bodyMap: unexpected "n" at position 0',
    ],
    [
      "/v1/completions",
      '"a"',
      '400 error unmarshaling request bodyMap: unexpected """ at position 0',
    ],
  ])("a request is refused at %s with %j", (path, body, expected) => {
    expect(refusal(path, body)).toBe(expected);
  });

  it.each([
    ["cut", '{"model":"m","prompt":"a'],
    ["with a byte order mark", '\ufeff{"model":"m","prompt":"a"}'],
    ["with a NUL in a string", '{"model":"m","prompt":"a\0"}'],
    ["with NULs at its end", '{"model":"m","prompt":"a"}\0\0'],
    ["with something after it", '{"model":"m","prompt":"a"} x'],
    ["opening 100,000 lists", `{"model":"m","prompt":"a","x":${"[".repeat(100_000)}`],
    ["empty", ""],
    ["not UTF-8", Buffer.from('{"model":"m","prompt":"\xe9"}', "latin1")],
    ["a surrogate in UTF-8", Buffer.from([...bytes('{"prompt":"'), 0xed, 0xa0, 0x80, 0x22, 0x7d])],
  ])("a request is refused if its body is %s", (_, body) => {
    expect(refusal("/v1/completions", body)).toMatch(/^400 error unmarshaling request bodyMap: ./);
  });

  it("a request is refused if no parser claims its path", () => {
    expect(refusal("/v1/messages?a=b", {}, { parsers: ["openai-parser"] })).toBe(
      "400 no parser registered matching path suffix for: /v1/messages?a=b",
    );
  });
});

describe("a body that is nested", () => {
  const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
  const deep = nested(9_900);
  it.each([
    ["/v1/completions", `{"x":${deep},"model":"m","prompt":"p"}`],
    ["/v1/chat/completions", `{"tools":${deep},"model":"m","messages":[{"content":${deep}}]}`],
    ["/v1/responses", `{"input":${deep},"model":"m"}`],
    [
      "/v1/messages",
      `{"messages":[{"content":[{"type":"tool_use","input":${deep}},{"type":"tool_result","content":[{"type":"tool_result","content":${deep}}]}]}],"model":"m"}`,
    ],
  ])("is read at %s", (path, body) => {
    const payload = parse(path, body);
    expect(payload.model).toBe("m");
    expect(payload.prompts).toHaveLength(1);
    expect(payload.modelSpans).toHaveLength(1);
  });

  it("is refused beyond 10,000 levels, as in Go's JSON", () => {
    expect(refusal("/v1/completions", `{"x":${nested(100_000)},"prompt":"p"}`)).toBe(
      "400 error unmarshaling request bodyMap: it is nested more than 10000 deep",
    );
  });
});

describe("a body of very many values", () => {
  const many = 70_000;
  const list = (item: string) => `[${Array.from({ length: many }, () => item).join(",")}]`;

  it("is read up to its first values, and the tokens of the rest are estimated", () => {
    const tokens = parse("/v1/completions", `{"model":"m","prompt":${list("7")}}`);
    expect(tokens.prompts).toHaveLength(1);
    expect(tokens.prompts[0]).toHaveLength(4 * (2 ** 16 - 1));
    expect(tokens.tokensBeyond).toBeGreaterThan(1_000);
    const parts = `[{"role":"user","content":${list('{"text":"a"}')}}]`;
    const chat = parse("/v1/chat/completions", `{"model":"m","messages":${parts}}`);
    expect(chat.prompts[0]).toMatch(/^usera+$/);
    expect(chat.tokensBeyond).toBeGreaterThan(1_000);
  });

  it("has at most 256 prompts", () => {
    const texts = parse("/v1/completions", `{"model":"m","prompt":${list('"abcde"')}}`);
    expect(texts.prompts).toHaveLength(256);
    expect(texts.tokensBeyond).toBeGreaterThanOrEqual(2 * (many - 256));
  });

  it("has its salt hashed if the salt is long", () => {
    const salted = (salt: string) =>
      parse("/v1/completions", `{"prompt":"p","cache_salt":"${salt}"}`).cacheSalt;
    const salt = "s".repeat(1_000_000);
    expect(salted(salt)).toHaveLength(44);
    expect(salted(salt)).toBe(salted(salt));
    expect(salted(`t${salt.slice(1)}`)).not.toBe(salted(salt));
    expect(salted(`${salt}s`)).not.toBe(salted(salt));
  });

  it("has the first million tokens of a string as a prompt, and estimates the rest", () => {
    const text = "\\n".repeat(2.25 * 2 ** 20);
    for (const [path, body] of [
      ["/v1/completions", `{"model":"m","prompt":"${text}"}`],
      ["/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":"${text}"}]}`],
      [
        "/v1/chat/completions",
        `{"model":"m","messages":[{"role":"user","content":"a"}],"tools":["${text}"]}`,
      ],
    ] as const) {
      const payload = parse(path, body);
      expect(payload.prompts.join("").length).toBeLessThanOrEqual(4 * 2 ** 20 + 100);
      expect(payload.tokensBeyond).toBeGreaterThanOrEqual(2 ** 19 / 4);
    }
  });
});

/** Returns the object that JSON.parse reads; undefined if the body is not a valid chat. */
function reference(body: Buffer): Record<string, unknown> | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
    const value = JSON.parse(text);
    const isChat =
      Array.isArray(value.messages) &&
      value.messages.length > 0 &&
      value.messages.every(
        (item: unknown) => item !== null && typeof item === "object" && !Array.isArray(item),
      );
    return isChat &&
      !Array.isArray(value) &&
      ["string", "undefined"].includes(typeof (value.model ?? undefined)) &&
      Buffer.byteLength(value.model ?? "") <= 253 &&
      modelsOf(text) < 2
      ? value
      : undefined;
  } catch {
    return undefined;
  }
}

/** Number of members of the outermost object that are named `model`. JSON.parse returns only the last one. */
function modelsOf(text: string): number {
  let depth = 0;
  let models = 0;
  for (const [token] of text.matchAll(/"(?:\\.|[^"\\])*"\s*:?|[{}[\]]/g)) {
    if (token === "{" || token === "[") depth += 1;
    else if (token === "}" || token === "]") depth -= 1;
    else if (depth === 1 && token.endsWith(":") && JSON.parse(token.slice(0, -1)) === "model")
      models += 1;
  }
  return models;
}

function expectAsReference(body: Buffer): boolean {
  const expected = reference(body);
  if (expected === undefined) {
    expect(refusal("/v1/chat/completions", body)).toMatch(/^400 /);
    return false;
  }
  const { model, streaming, modelSpans } = parse("/v1/chat/completions", body);
  expect(model).toBe(expected.model ?? undefined);
  expect(streaming).toBe(expected.stream === true);
  const last = modelSpans?.at(-1) ?? { start: 0, end: 0 };
  const written = body.toString("utf8", last.start, last.end);
  if ("model" in expected) expect(JSON.parse(written)).toBe(expected.model);
  else expect(written).toBe("");
  return true;
}

describe("the parser", () => {
  const keys = fc.oneof(
    fc.constantFrom(
      "model",
      "mod\\u0065l",
      "messages",
      "stream",
      "x",
      "\\\\",
      '\\"',
      "é",
      "__proto__",
    ),
    fc.string().map((text) => JSON.stringify(text).slice(1, -1)),
  );
  const values = fc.oneof(
    fc.constantFrom(
      '"m"',
      '"\\u006d"',
      "null",
      "true",
      "[{}]",
      '[{"role":"user"}]',
      '{"model":"n"}',
      "{}",
      "-0.5e-3",
    ),
    fc.jsonValue().map((value) => JSON.stringify(value)),
  );
  const space = fc.constantFrom("", "", " ", "\n\t", "\r\n ");
  const member = fc
    .tuple(space, keys, space, space, values, space)
    .map(([a, key, b, c, value, d]) => `${a}"${key}"${b}:${c}${value}${d}`);

  it("accepts and reads generated objects like JSON.parse", () => {
    const object = fc
      .tuple(space, fc.array(member, { maxLength: 8 }), space)
      .map(([before, members, after]) => `${before}{"messages":[{}],${members.join(",")}}${after}`);
    fc.assert(
      fc.property(object, (text) => {
        expectAsReference(Buffer.from(text));
      }),
    );
  });

  it("accepts and reads real bodies with changed, removed, doubled and cut bytes like JSON.parse", () => {
    const seeds = [chatRequest, { ...messagesRequest, stream: false }].map(bytes);
    const edit = fc.record({
      at: fc.nat(),
      length: fc.integer({ min: 0, max: 4 }),
      by: fc.oneof(
        fc.uint8Array({ maxLength: 3 }),
        fc
          .constantFrom(
            '"',
            "\\",
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "\\u0000",
            "é",
            "1e5",
            '"model":"x",',
          )
          .map(bytes),
      ),
    });
    const mutated = fc
      .tuple(fc.constantFrom(...seeds), fc.array(edit, { maxLength: 3 }), fc.nat(), fc.boolean())
      .map(([seed, edits, end, cut]) => {
        let body = seed;
        for (const { at, length, by } of edits) {
          const start = at % (body.length + 1);
          body = Buffer.concat([body.subarray(0, start), by, body.subarray(start + length)]);
        }
        return cut ? body.subarray(0, end % (body.length + 1)) : body;
      });
    let accepted = 0;
    fc.assert(
      fc.property(mutated, (body) => {
        if (expectAsReference(body)) accepted += 1;
      }),
    );
    expect(accepted).toBeGreaterThan(20);
  });
});
