import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cut, places } from "./chunks.fixture.ts";
import { jsonHead } from "./json-head.ts";
import { JsonError, type JsonMember, JsonScanner, MemberNames } from "./json-scanner.ts";

const names = new MemberNames(["model", "prompt", "stream"]);

function scan(text: Buffer, pieces: readonly Buffer[] = [text]): readonly JsonMember[] {
  const scanner = new JsonScanner(names);
  let read = 0;
  for (const { length } of pieces) {
    // Like a growing buffer: the bytes that are not received yet are arbitrary.
    const sofar = Buffer.concat([text.subarray(0, read + length), Buffer.from("x".repeat(9))]);
    scanner.scan(sofar.subarray(0, read + length), read, read + length);
    read += length;
  }
  return scanner.end().members;
}

/** Returns the object that JSON.parse reads; undefined if it reads none. */
function parsed(text: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text.toString());
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function scanned(text: Buffer, pieces?: readonly Buffer[]): Record<string, unknown> | undefined {
  try {
    const values = scan(text, pieces).map(({ name, start, end }) => [
      name,
      JSON.parse(text.toString("utf8", start, end)),
    ]);
    return Object.fromEntries(values);
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}

const wanted = (all: Record<string, unknown> | undefined) =>
  all && Object.fromEntries(Object.entries(all).filter(([name]) => names.isRead(name)));

/** Keys in different spellings, with and without a meaning. */
const key = fc.oneof(
  fc.constantFrom('"model"', '"mod\\u0065l"', '"prompt"', '"\\u0070rompt"', '"stream"', '"Model"'),
  fc.string({ unit: "grapheme" }).map((text) => JSON.stringify(text)),
);
const space = fc.constantFrom("", " ", "\n", "\t\r ");
const scalar = fc.oneof(
  fc.constantFrom("null", "true", "false", "0", "-0", "-1.5e+7", "1E400", "12345678901234567890"),
  fc.string({ unit: "binary" }).map((text) => JSON.stringify(text)),
  fc.constantFrom('"\\ud83d"', '"\\ud83d\\ude00"', '"\\"model\\":1"', '"\\/\\b"', '"😀é"'),
);
const { object } = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    scalar,
    fc
      .tuple(space, fc.array(tie("value"), { maxLength: 4 }))
      .map(([around, items]) => `[${around}${items.join(`${around},`)}${around}]`),
    tie("object"),
  ),
  object: fc
    .tuple(space, fc.array(fc.tuple(key, tie("value")), { maxLength: 5 }))
    .map(
      ([around, members]) =>
        `{${around}${members
          .map(([name, value]) => `${name}${around}:${around}${value}`)
          .join(`${around},${around}`)}${around}}`,
    ),
}));

describe("the JSON scanner", () => {
  it("reads the same members as JSON.parse in every object, cut anywhere", () => {
    fc.assert(
      fc.property(object, places, space, (text, cuts, around) => {
        const bytes = Buffer.from(around + text + around);
        const expected = wanted(parsed(bytes));
        expect(expected).toBeDefined();
        expect(scanned(bytes, cut(bytes, cuts))).toEqual(expected);
      }),
    );
  });

  it("accepts and refuses the same texts as JSON.parse if they are nearly JSON", () => {
    const change = fc.tuple(
      fc.nat(),
      fc.nat({ max: 2 }),
      fc.oneof(fc.constantFrom(...'{}[],:"\\ \n\u0000tfn0-+.eEu'), fc.string({ maxLength: 2 })),
    );
    fc.assert(
      fc.property(object, fc.array(change, { maxLength: 3 }), (text, changes) => {
        let changed = text;
        for (const [place, removed, inserted] of changes) {
          const at = place % (changed.length + 1);
          changed = changed.slice(0, at) + inserted + changed.slice(at + removed);
        }
        const bytes = Buffer.from(changed);
        expect(scanned(bytes)).toEqual(wanted(parsed(bytes)));
      }),
    );
  });

  it.each([
    ["", "nothing"],
    ["[]", "a list"],
    ['"a"', "a string"],
    ["\ufeff{}", "a byte order mark"],
    ['{"a":01}', "a leading zero"],
    ['{"a":1.}', "no digit behind the point"],
    ['{"a":.5}', "no digit before it"],
    ['{"a":+1}', "a plus"],
    ['{"a":1e}', "no exponent"],
    ['{"a":"\t"}', "a control character"],
    ['{"a":"\\x"}', "an unknown escape"],
    ['{"a":"\\u12g4"}', "no hexadecimal digit"],
    ['{"a":1,}', "a comma at the end"],
    ["{'a':1}", "other quotes"],
    ["{a:1}", "a key without quotes"],
    ['{"a":NaN}', "NaN"],
    ['{"a":1}{', "something behind it"],
    ['{"a":[1}', "brackets that do not match"],
    ['{"a":nul}', "half a literal"],
    ['{"a":"b', "no end"],
  ])("refuses %j: %s", (text) => {
    expect(parsed(Buffer.from(text))).toBeUndefined();
    expect(scanned(Buffer.from(text))).toBeUndefined();
  });

  it("reports the position of the wrong byte, or that JSON is nested too deep", () => {
    expect(() => scan(Buffer.from('{"a": ]'))).toThrow('unexpected "]" at position 6');
    expect(() => scan(Buffer.from('{"a":"\u0001"}'))).toThrow("unexpected byte 0x01 at position 6");
    expect(() => scan(Buffer.from(`{"a":${"[".repeat(9_999)}${"]".repeat(9_999)}}`))).not.toThrow();
    expect(() => scan(Buffer.from(`{"a":${"[".repeat(10_000)}`))).toThrow("nested more than 10000");
  });
});

describe("the head of a value", () => {
  it("is valid JSON of the first values, or of all values if they fit", () => {
    const value = fc
      .oneof(fc.string({ unit: "binary" }), fc.array(fc.jsonValue()), fc.object())
      .map((each) => JSON.stringify(each));
    const room = fc.record({
      values: fc.integer({ min: 1, max: 20 }),
      bytes: fc.integer({ min: 2, max: 100 }),
    });
    fc.assert(
      fc.property(value, room, (json, room) => {
        const bytes = Buffer.from(`{"a":${json}}`);
        const span = { start: 5, end: bytes.length - 1 };
        const { text, bytesLeftOut } = jsonHead(bytes, span, room);
        const [head, whole]: unknown[] = [JSON.parse(text), JSON.parse(json)];
        expect(isHeadOf(head, whole), text).toBe(true);
        const commas = text.replaceAll(/"(\\.|[^"\\])*"/g, "").split(",");
        expect(commas.length).toBeLessThanOrEqual(room.values);
        expect(span.end - span.start - bytesLeftOut).toBeLessThanOrEqual(room.bytes);
        if (bytesLeftOut === 0) expect(head).toEqual(whole);
      }),
    );
  });

  it.each([
    ['"abcdefgh"', 5, '"abcd"', "a string"],
    ['"ab\\n\\n\\n"', 6, '"ab\\n"', "an escape, which is not split"],
    ['"ab\\u00e9\\u00e9"', 10, '"ab\\u00e9"', "an escape of six bytes"],
    ['"ab\\\\\\\\"', 6, '"ab\\\\"', "backslashes"],
    ['"abäöü"', 6, '"abä"', "characters of two bytes"],
    ["[1,22222]", 6, "[1]", "a number"],
    ['{"a":1,"bcdef":2}', 10, '{"a":1}', "a key"],
    ['{"a":1,"b":"cdefgh"}', 14, '{"a":1,"b":"cd"}', "a string under a key"],
    ['[{"content":"abcdef"}]', 16, '[{"content":"abc"}]', "a string in a message"],
  ])("of %s with a budget of %i bytes is %s: it ends in %s", (json, most, expected) => {
    const bytes = Buffer.from(json);
    const { text, bytesLeftOut } = jsonHead(
      bytes,
      { start: 0, end: bytes.length },
      { values: 100, bytes: most },
    );
    expect(text).toBe(expected);
    expect(bytesLeftOut).toBeGreaterThan(0);
  });
});

/** Whether `head` equals the start of `whole`. */
function isHeadOf(head: unknown, whole: unknown): boolean {
  if (Array.isArray(head) && Array.isArray(whole))
    return head.every((item, at) => isHeadOf(item, whole[at]));
  if (typeof head === "object" && head !== null && typeof whole === "object" && whole !== null)
    return Object.entries(head).every(([key, value]) =>
      isHeadOf(value, (whole as Record<string, unknown>)[key]),
    );
  if (typeof head === "string" && typeof whole === "string") return whole.startsWith(head);
  return Object.is(head, whole);
}

it("a body that repeats a member too often is refused", () => {
  const body = (times: number) => Buffer.from(`{"other":1${',"stream":true'.repeat(times)}}`);
  expect(scan(body(64))).toHaveLength(64);
  expect(() => scan(body(65))).toThrow(
    new JsonError("it has more than 64 members that are read, such as stream"),
  );
});
