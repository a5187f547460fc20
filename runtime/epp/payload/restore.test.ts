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
import { isRestorable, ModelRestorer } from "./restore.ts";

const names = { from: "target", to: "client" };

function restored(chunks: readonly Buffer[], sse: boolean, { from, to } = names): string {
  const restorer = new ModelRestorer({ from, to, sse });
  const out = chunks.map((chunk, index) => restorer.push(chunk, index === chunks.length - 1));
  expect(restorer.holding).toBe(false);
  return Buffer.concat(out).toString();
}

const json = (text: string, options = names) => restored([bytes(text)], false, options);

describe("a JSON response", () => {
  it.each([
    ["the model", '{"id":"1","model":"target"}', '{"id":"1","model":"client"}'],
    ["the model between spaces", '{ "model" \t:\r\n "target" }', '{ "model" \t:\r\n "client" }'],
    ["the model in escapes", '{"model":"tar\\u0067et"}', '{"model":"client"}'],
    [
      "repeated models",
      '{"model":"target","model":"target"}',
      '{"model":"client","model":"client"}',
    ],
    [
      "the model of response",
      '{"response":{"a":{},"model":"target"}}',
      '{"response":{"a":{},"model":"client"}}',
    ],
    [
      "the model of message",
      '{"message":{"model":"target"},"a":1}',
      '{"message":{"model":"client"},"a":1}',
    ],
    [
      "the model after a list",
      '{"x":[{"model":"target"},"model"],"model":"target"}',
      '{"x":[{"model":"target"},"model"],"model":"client"}',
    ],
    [
      "the model in every line",
      '{"model":"target"}\n{"model":"target"}',
      '{"model":"client"}\n{"model":"client"}',
    ],
  ])("has %s restored", (_, text, expected) => {
    expect(json(text)).toBe(expected);
  });

  it.each([
    ["another model", '{"model":"target2"}'],
    ["a part of the name", '{"model":"targe"}'],
    ["a model that is not a name", '{"model":["target"],"response":"target","x":"model"}'],
    ["text", '{"text":"\\"model\\":\\"target\\"","a":"model","b":"target"}'],
    ["text after a backslash", '{"a":"\\\\","b":"\\\\\\"model\\":\\"target\\""}'],
    ["nested models", '{"choices":[{"model":"target"}],"x":{"model":"target"}}'],
    ["deeper models", '{"response":{"message":{"model":"target"},"x":[{"model":"target"}]}}'],
    ["models of list items", '[{"model":"target"},{"message":{"model":"target"}}]'],
    ["lists named as holders", '{"message":[{"model":"target"}],"response":["model","target"]}'],
    ["a page that is not JSON", '<html>"model":"target"</html>'],
    ["JSON that ends too early", '{"model":"targ'],
    ["JSON that closes too often", '}]}"model":"target"'],
    ["holders of other names", '{"responses":{"model":"target"},"messages":{"model":"target"}}'],
    ["other keys", '{"models":"target","Model":"target","odel":"target","":"target"}'],
  ])("keeps %s", (_, text) => {
    expect(json(text)).toBe(text);
    expect(
      restored(
        cut(
          bytes(text),
          Array.from(text, (_, at) => at),
        ),
        false,
      ),
    ).toBe(text);
  });

  it("may have quotes and other characters in both names", () => {
    const options = { from: 'a"\\é😀', to: 'b"\n\\ü' };
    const body = JSON.stringify({ model: options.from });
    const expected = JSON.stringify({ model: options.to });
    expect(json(body, options)).toBe(expected);
    const escaped = '{"model":"a\\u0022\\u005c\\u00e9\\ud83d\\uDE00"}';
    for (const chunks of cuts(bytes(escaped)))
      expect(restored(chunks, false, options)).toBe(expected);
  });

  it("is forwarded as the same chunk if nothing changes", () => {
    const chunk = bytes({ id: "1", model: "other" });
    expect(new ModelRestorer({ ...names, sse: false }).push(chunk, true)).toBe(chunk);
  });
});

describe("a response cut in two anywhere, and into bytes", () => {
  it.each([
    ["chat", false, (model: string) => JSON.stringify(chatResponse(model))],
    ["chat stream", true, chatStream],
    ["responses stream", true, responsesStream],
    ["messages stream", true, messagesStream],
  ])("is restored as %s", (_, sse, response) => {
    const text = bytes(response("target"));
    for (const chunks of cuts(text)) expect(restored(chunks, sse)).toBe(response("client"));
  });
});

describe("a stream", () => {
  it("is forwarded immediately, except for the start of a model name", () => {
    const restorer = new ModelRestorer({ ...names, sse: true });
    const pushed = (text: string) => [
      restorer.push(bytes(text), false).toString(),
      restorer.holding,
    ];
    expect(pushed('data: {"id":1,"model":')).toEqual(['data: {"id":1,"model":', false]);
    expect(pushed('"')).toEqual(["", true]);
    expect(pushed("tar")).toEqual(["", true]);
    expect(pushed('get","x":"')).toEqual(['"client","x":"', false]);
    expect(pushed('a"}\n\ndata: {"model":"t')).toEqual(['a"}\n\ndata: {"model":', true]);
    expect(pushed('"}\n\n')).toEqual(['"t"}\n\n', false]);
    expect(pushed('data: {"model":"target"}\n\n')).toEqual(['data: {"model":"client"}\n\n', false]);
  });

  it("forwards a name immediately if it is longer than the name of the server", () => {
    const restorer = new ModelRestorer({ ...names, sse: true });
    const long = `data: {"model":"${"x".repeat(6 * "target".length + 2)}`;
    expect(restorer.push(bytes(long), false).toString()).toBe(long);
    expect(restorer.push(bytes("\\"), false).toString()).toBe("\\");
    expect(restorer.push(bytes('"target"'), false).toString()).toBe('"target"');
  });

  it("ends with the bytes held back", () => {
    const restorer = new ModelRestorer({ ...names, sse: true });
    restorer.push(bytes('data: {"model":"tar'), false);
    expect(restorer.push(Buffer.alloc(0), true).toString()).toBe('"tar');
    expect(restorer.holding).toBe(false);
  });

  it("is read from the start in each line", () => {
    const text =
      'data: {"a":{"model":"tar\ndata: {"model":"target"}\n\n: "\ndata:{"model":"target"}\n';
    const expected =
      'data: {"a":{"model":"tar\ndata: {"model":"client"}\n\n: "\ndata:{"model":"client"}\n';
    for (const chunks of cuts(bytes(text))) expect(restored(chunks, true)).toBe(expected);
  });

  it("keeps comments, and fields other than data", () => {
    const text = ': {"model":"target"}\nevent: {"model":"target"}\ndat: {"model":"target"}\n\n';
    expect(restored([bytes(text)], true)).toBe(text);
  });
});

type Json = { [field: string]: Json | unknown };

/** Reference: restores the model in a whole object. */
function restoredObject(object: Json, { from, to }: typeof names): Json {
  const own = (value: Json) => (value.model === from ? { ...value, model: to } : value);
  const isObject = (value: unknown): value is Json =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  const result = own(object);
  for (const holder of ["response", "message"])
    if (isObject(result[holder])) result[holder] = own(result[holder]);
  return result;
}

describe("random responses in random chunks", () => {
  const options = fc.constantFrom(
    names,
    { from: "model", to: "m" },
    { from: "message", to: 'a"b' },
    { from: "a\\", to: "" },
    { from: "é😀", to: "\u0001" },
  );
  const response = options.chain((names) =>
    fc.tuple(fc.constant(names), responseObject([names.from, names.to])),
  );

  it("JSON is restored like a whole object", () => {
    fc.assert(
      fc.property(response, places, fc.constantFrom(0, 1, "\t"), ([names, object], at, indent) => {
        const body = bytes(JSON.stringify(object, null, indent));
        const expected = JSON.stringify(
          restoredObject(JSON.parse(body.toString()), names),
          null,
          indent,
        );
        expect(restored(cut(body, at), false, names)).toBe(expected);
      }),
    );
  });

  it("events are restored like whole objects", () => {
    const stream = options.chain((names) =>
      fc.tuple(
        fc.constant(names),
        fc.array(fc.tuple(fc.oneof(responseObject([names.from, names.to]), otherLine), lineEnd)),
      ),
    );
    fc.assert(
      fc.property(stream, places, ([names, lines], at) => {
        const text = (restore: (object: Json) => Json) =>
          lines
            .map(([line, end]) =>
              typeof line === "string"
                ? line + end
                : `data: ${JSON.stringify(restore(JSON.parse(JSON.stringify(line))))}${end}`,
            )
            .join("");
        const body = bytes(text((object) => object));
        const expected = text((object) => restoredObject(object, names));
        expect(restored(cut(body, at), true, names)).toBe(expected);
      }),
    );
  });

  it("bytes changed at random are restored the same in all chunks", () => {
    const seeds = [chatStream, responsesStream, messagesStream].map((stream) =>
      bytes(stream("target")),
    );
    const edits = fc.array(
      fc.tuple(fc.nat(), fc.oneof(fc.nat(255), fc.constantFrom(...bytes('"\\{}[],:\n')))),
      {
        maxLength: 20,
      },
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...seeds),
        edits,
        places,
        fc.boolean(),
        (seed, edits, at, sse) => {
          const body = Buffer.from(seed);
          for (const [place, byte] of edits) body[place % body.length] = byte;
          const whole = Buffer.from(restored([body], sse), "utf8");
          expect(Buffer.from(restored(cut(body, at), sse))).toEqual(whole);
        },
      ),
    );
  });
});

describe("whether a response can be restored", () => {
  it.each([
    [{}, true],
    [{ "content-type": "application/json" }, true],
    [{ "content-type": "application/json; charset=utf-8", "content-encoding": "identity" }, true],
    [{ "content-type": "text/event-stream" }, true],
    [{ "content-type": "application/problem+json" }, true],
    [{ "content-type": "application/json", "content-encoding": "gzip" }, false],
    [{ "content-encoding": "br" }, false],
    [{ "content-type": "audio/mpeg" }, false],
    [{ "content-type": "text/plain" }, false],
  ])("depends on its headers: %j %s", (headers, expected) => {
    expect(isRestorable(new Map(Object.entries(headers)))).toBe(expected);
  });
});
