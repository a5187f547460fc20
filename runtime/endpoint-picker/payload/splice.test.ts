import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parserNames } from "../../../scheduling/plugins/parsers.ts";
import { bytes } from "./bodies.fixture.ts";
import { parsePayload } from "./parse.ts";
import { withModel } from "./splice.ts";

const spliced = (body: string, model: string, path = "/v1/completions") =>
  withModel(
    parsePayload({ path, headers: new Map(), body: bytes(body) }, parserNames),
    model,
  ).toString();

describe("a body with another model", () => {
  it.each([
    ["its only member", '{"model":"a","prompt":"p"}', '{"model":"T","prompt":"p"}'],
    ["spaces around", '{ "model"\t:\n "a" , "prompt":"p" }', '{ "model"\t:\n "T" , "prompt":"p" }'],
    ["an escaped key", '{"mod\\u0065l":"a","prompt":"p"}', '{"mod\\u0065l":"T","prompt":"p"}'],
    ["null", '{"prompt":"p","model":null}', '{"prompt":"p","model":"T"}'],
    ["none", '{"prompt":"p"}', '{"model":"T","prompt":"p"}'],
    ["none, with spaces", ' { "prompt":"p"}', ' {"model":"T", "prompt":"p"}'],
    [
      "nested ones untouched",
      '{"x":{"model":"a"},"prompt":["\\"model\\":\\"a\\""],"model":"a"}',
      '{"x":{"model":"a"},"prompt":["\\"model\\":\\"a\\""],"model":"T"}',
    ],
    [
      "numbers as they were written",
      '{"seed":12345678901234567890,"temperature":1.0,"model":"a","prompt":"p","x":1e400}',
      '{"seed":12345678901234567890,"temperature":1.0,"model":"T","prompt":"p","x":1e400}',
    ],
    [
      "order, doubles and characters as they were",
      '{"z":"<&>","prompt":"é\\u00e9😀","a":1,"a":2,"model":"ä"}',
      '{"z":"<&>","prompt":"é\\u00e9😀","a":1,"a":2,"model":"T"}',
    ],
  ])("replaces %s", (_, body, expected) => {
    expect(spliced(body, "T")).toBe(expected);
  });

  it("is not touched where it was not read", () => {
    expect(spliced('{"model":"a"}', "T", "/v1/audio/speech")).toBe('{"model":"a"}');
  });

  it("takes any name", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (model) => {
        const text = spliced('{"model":"a","prompt":"p"}', model);
        expect(JSON.parse(text)).toEqual({ model, prompt: "p" });
      }),
    );
  });

  it("means the same but for the model, and takes back what it did", () => {
    const fields = fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue(), { maxKeys: 6 });
    fc.assert(
      fc.property(fields, fc.nat(), fc.constantFrom(0, 2, "\t"), (more, place, indent) => {
        const { model: _, prompt: __, ...others } = more;
        const entries = Object.entries(others);
        const at = place % (entries.length + 1);
        const withOld = [...entries.slice(0, at), ["model", "old"], ...entries.slice(at)];
        const body = JSON.stringify(
          Object.fromEntries([...withOld, ["prompt", "p"]]),
          null,
          indent,
        );
        const changed = spliced(body, "new");
        expect(JSON.parse(changed)).toEqual({ ...JSON.parse(body), model: "new" });
        expect(spliced(changed, "old")).toBe(body);
      }),
      { numRuns: 300 },
    );
  });
});
