import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parserNames } from "../../../scheduling/plugins/parsers.ts";
import { bytes, parsePayload } from "./bodies.fixture.ts";
import { changedBody } from "./splice.ts";

const spliced = (body: string, model: string, path = "/v1/completions") =>
  changedBody(parsePayload({ path, headers: new Map(), body: bytes(body) }, parserNames), {
    model,
  }).toString();

describe("a body with another model", () => {
  it.each([
    ["one model", '{"model":"a","prompt":"p"}', '{"model":"T","prompt":"p"}'],
    [
      "one between spaces",
      '{ "model"\t:\n "a" , "prompt":"p" }',
      '{ "model"\t:\n "T" , "prompt":"p" }',
    ],
    [
      "one with an escaped key",
      '{"mod\\u0065l":"a","prompt":"p"}',
      '{"mod\\u0065l":"T","prompt":"p"}',
    ],
    ["null as model", '{"prompt":"p","model":null}', '{"prompt":"p","model":"T"}'],
    ["no model", '{"prompt":"p"}', '{"model":"T","prompt":"p"}'],
    ["no model, with spaces", ' { "prompt":"p"}', ' {"model":"T", "prompt":"p"}'],
    [
      "one next to nested ones, which stay",
      '{"x":{"model":"a"},"prompt":["\\"model\\":\\"a\\""],"model":"a"}',
      '{"x":{"model":"a"},"prompt":["\\"model\\":\\"a\\""],"model":"T"}',
    ],
    [
      "one next to numbers, which stay as written",
      '{"seed":12345678901234567890,"temperature":1.0,"model":"a","prompt":"p","x":1e400}',
      '{"seed":12345678901234567890,"temperature":1.0,"model":"T","prompt":"p","x":1e400}',
    ],
    [
      "one next to repeated members and other characters, which stay",
      '{"z":"<&>","prompt":"é\\u00e9😀","a":1,"a":2,"model":"ä"}',
      '{"z":"<&>","prompt":"é\\u00e9😀","a":1,"a":2,"model":"T"}',
    ],
  ])("has its model replaced: %s", (_, body, expected) => {
    expect(spliced(body, "T")).toBe(expected);
  });

  it("is changed at any path", () => {
    expect(spliced('{"model":"a"}', "T", "/v1/audio/speech")).toBe('{"model":"T"}');
  });

  it("accepts any model name", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (model) => {
        const text = spliced('{"model":"a","prompt":"p"}', model);
        expect(JSON.parse(text)).toEqual({ model, prompt: "p" });
      }),
    );
  });

  it("differs only in its model, and is restored by the old model", () => {
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
    );
  });
});

const stripped = (body: string, path = "/v1/completions", model?: string) => {
  const payload = parsePayload({ path, headers: new Map(), body: bytes(body) }, parserNames);
  return changedBody(payload, { withoutEngineFields: true, model }).toString();
};

describe("a body without the fields that clients may not set", () => {
  it.each([
    ["the first", '{"kv_transfer_params":{"a":[1]},"prompt":"p"}', '{"prompt":"p"}'],
    ["the last", '{"prompt":"p" , "ec_transfer_params":null }', '{"prompt":"p"  }'],
    ["one between", '{"a":1, "bootstrap_room" : 7 ,"prompt":"p"}', '{"a":1, "prompt":"p"}'],
    ["several at the end", '{"prompt":"p","bootstrap_host":"h","bootstrap_x":1}', '{"prompt":"p"}'],
    [
      "one that occurs twice",
      '{"routed_dp_rank":1,"prompt":"p","routed_dp_rank":2}',
      '{"prompt":"p"}',
    ],
    [
      "one written in escapes",
      `{"${[..."disagg_prefill_dp_rank"].map((c) => `\\u00${c.charCodeAt(0).toString(16)}`).join("")}":1,"prompt":"p"}`,
      '{"prompt":"p"}',
    ],
    [
      "vLLM's extra arguments",
      '{"prompt":"p","vllm_xargs":{"kv_transfer_params":{}}}',
      '{"prompt":"p","vllm_xargs":{}}',
    ],
    [
      "its sampling parameters",
      '{"prompt":"p","sampling_params":{"n":1,"extra_args":{"x":[{}],"kv_transfer_params":{}},"n":2},"data_parallel_rank":0}',
      '{"prompt":"p","sampling_params":{"n":1,"extra_args":{"x":[{}]},"n":2}}',
    ],
  ])("loses %s", (_, body, expected) => {
    expect(stripped(body)).toBe(expected);
  });

  it.each([
    [
      "elsewhere",
      '{"prompt":"kv_transfer_params","x":{"kv_transfer_params":1},"tools":[{"bootstrap_host":1}]}',
    ],
    ["in a list", '{"prompt":"p","vllm_xargs":[{"kv_transfer_params":1}]}'],
    ["in other letters", '{"prompt":"p","KV_transfer_params":1,"kv_transfer_params_":1}'],
  ])("keeps such names %s", (_, body) => {
    expect(stripped(body)).toBe(body);
  });

  it("may have its model replaced too", () => {
    expect(stripped('{"bootstrap_port":1,"prompt":"p"}', "/v1/completions", "T")).toBe(
      '{"model":"T","prompt":"p"}',
    );
    expect(
      stripped(
        '{"bootstrap_port":1,"model":"a","prompt":"p","bootstrap_port":2}',
        "/v1/completions",
        "T",
      ),
    ).toBe('{"model":"T","prompt":"p"}');
  });

  it("is the same buffer if it has no such field", () => {
    const body = bytes('{"model":"a","prompt":"p","vllm_xargs":{"a":1}}');
    const payload = parsePayload(
      { path: "/v1/completions", headers: new Map(), body },
      parserNames,
    );
    expect(changedBody(payload, { withoutEngineFields: true })).toBe(payload.body);
  });

  it("is refused with more than 64 such fields", () => {
    const many = (count: number) => `{${'"bootstrap_room":1,"a":1,'.repeat(count)}"prompt":"p"}`;
    expect(JSON.parse(stripped(many(64)))).toEqual({ a: 1, prompt: "p" });
    expect(() => stripped(many(65))).toThrow("more than 64 fields");
  });

  it("has the same meaning otherwise, wherever the fields are and however they are written", () => {
    const names = ["kv_transfer_params", "bootstrap_room", "cache_hit_threshold"];
    const written = (name: string) =>
      fc
        .array(fc.boolean(), { minLength: name.length, maxLength: name.length })
        .map((escaped) =>
          [...name]
            .map((c, at) => (escaped[at] ? `\\u00${c.charCodeAt(0).toString(16)}` : c))
            .join(""),
        );
    const engineField = fc
      .tuple(fc.constantFrom(...names).chain(written), fc.jsonValue())
      .map(([name, value]) => ({ name, text: `"${name}":${JSON.stringify(value)}`, engine: true }));
    const field = fc
      .tuple(fc.string(), fc.jsonValue())
      .filter(([name]) => !/^(model|prompt|bootstrap_.*|vllm_xargs)$/.test(name))
      .map(([name, value]) => ({
        name,
        text: `${JSON.stringify(name)}:${JSON.stringify(value)}`,
        engine: false,
      }));
    const space = fc.constantFrom("", " ", "\n\t");
    const members = fc.array(fc.tuple(fc.oneof(field, engineField), space), { maxLength: 8 });
    const joined = (list: ReadonlyArray<readonly [{ readonly text: string }, string]>) =>
      list.map(([{ text }, around]) => around + text + around).join(",");
    fc.assert(
      fc.property(members, members, (outer, inner) => {
        const kept = (list: typeof outer) => list.filter(([{ engine }]) => !engine);
        const body = (a: typeof outer, b: typeof inner) =>
          `{${[joined(a), `"vllm_xargs":{${joined(b)}}`, '"prompt":"p"'].filter((part) => part !== "").join(",")}}`;
        const result = stripped(body(outer, inner));
        expect(JSON.parse(result)).toEqual(JSON.parse(body(kept(outer), kept(inner))));
        const bytesOf = (text: string) => text.replace(/[\s,]/g, "");
        expect(bytesOf(result)).toBe(bytesOf(body(kept(outer), kept(inner))));
      }),
    );
  });
});
