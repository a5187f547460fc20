import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { changesBetween, jsonPatchOf } from "../../../sdk/plugins/pod-changes.ts";
import { applyJsonPatch, JsonPatch, longestAddition } from "./json-patch.ts";

const apply = (document: unknown, ...patch: object[]) =>
  applyJsonPatch(document, JsonPatch.parse(patch));

describe("a JSON Patch", () => {
  it.each<[what: string, document: unknown, operation: object, result: unknown]>([
    ["adds a field", { a: 1 }, { op: "add", path: "/b", value: 2 }, { a: 1, b: 2 }],
    ["adds into a list", [1, 3], { op: "add", path: "/1", value: 2 }, [1, 2, 3]],
    ["adds at the end of a list", { a: [1] }, { op: "add", path: "/a/-", value: 2 }, { a: [1, 2] }],
    ["replaces", { a: [1, 2] }, { op: "replace", path: "/a/1", value: 3 }, { a: [1, 3] }],
    ["removes", { a: [1, 2] }, { op: "remove", path: "/a/0" }, { a: [2] }],
    ["moves", { a: 1 }, { op: "move", from: "/a", path: "/b" }, { b: 1 }],
    ["copies", { a: [1] }, { op: "copy", from: "/a", path: "/b" }, { a: [1], b: [1] }],
    ["tests", { a: { b: 1 } }, { op: "test", path: "/a", value: { b: 1 } }, { a: { b: 1 } }],
    [
      "reads escapes",
      { "a/b~c": 1 },
      { op: "replace", path: "/a~1b~0c", value: 2 },
      { "a/b~c": 2 },
    ],
  ])("%s and does not change the original document", (_what, document, operation, result) => {
    const before = structuredClone(document);
    expect(apply(document, operation)).toEqual(result);
    expect(document).toEqual(before);
  });

  it.each<[what: string, operation: object, message: RegExp]>([
    [
      "a path that does not exist",
      { op: "remove", path: "/x" },
      /operation 0, remove \/x: no value exists/,
    ],
    ["a parent that does not exist", { op: "add", path: "/x/y", value: 1 }, /no value at "x"/],
    [
      "an index beyond the list",
      { op: "add", path: "/list/3", value: 1 },
      /"3" is not an index of the list/,
    ],
    [
      "an index with a leading zero",
      { op: "replace", path: "/list/01", value: 1 },
      /"01" is not an index/,
    ],
    ["the whole document", { op: "replace", path: "", value: {} }, /whole document/],
    [
      "a prototype",
      { op: "add", path: "/__proto__", value: { polluted: true } },
      /no field has this name/,
    ],
    [
      "a path through a prototype",
      { op: "add", path: "/__proto__/polluted", value: true },
      /no value at/,
    ],
    ["an inherited field", { op: "add", path: "/constructor/x", value: true }, /no value at/],
    [
      "a move into itself",
      { op: "move", from: "/map", path: "/map/x" },
      /cannot be moved into itself/,
    ],
    ["a failed test", { op: "test", path: "/list", value: [] }, /another value exists/],
    ["a path without a slash", { op: "add", path: "x", value: 1 }, /a path starts with \//],
  ])("refuses %s", (_what, operation, message) => {
    expect(() => apply({ list: [1, 2], map: {} }, operation)).toThrow(message);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it("a JSON Patch of the changes between two values turns the first into the second", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const [before, after] = [{ value: a }, { value: b }];
        // As in JSON, undefined fields are absent and -0 is 0.
        const [from, to] = [before, after].map((value) => JSON.parse(JSON.stringify(value)));
        fc.pre(!JSON.stringify([from, to]).includes("__proto__"));
        expect(apply(from, ...jsonPatchOf(changesBetween(from, to)).slice(0, 256))).toEqual(to);
      }),
    );
  });

  it("a JSON Patch of changes distinguishes own fields from inherited ones", () => {
    const [from, to] = [{ value: { valueOf: {}, toString: 1 } }, { value: { constructor: 2 } }];
    expect(apply(from, ...jsonPatchOf(changesBetween(from, to)))).toEqual(to);
  });

  it("has at most 256 operations", () => {
    const many = Array.from({ length: 257 }, () => ({ op: "remove", path: "/x" }));
    expect(JsonPatch.safeParse(many).success).toBe(false);
  });

  const doubled = (times: number) =>
    Array.from({ length: times }, (_, at) => ({ op: "copy", from: "/spec", path: `/spec/${at}` }));

  it("B3: adds at most 512 KiB to a pod, even if the patch is short", () => {
    const document = { spec: { containers: [{ name: "engine", image: "i".repeat(40) }] } };
    expect(JSON.stringify(doubled(23)).length).toBeLessThan(1_600);
    const begun = performance.now();
    expect(() => apply(document, ...doubled(23))).toThrow(
      /^operation 1\d, copy .*: the patch adds more than 524288 bytes to the pod$/,
    );
    expect(performance.now() - begun).toBeLessThan(2_000);
    expect(apply(document, ...doubled(5))).toHaveProperty("spec.4.3.2.1.0");
    expect(() =>
      apply(document, { op: "add", path: "/x", value: ["y".repeat(longestAddition)] }),
    ).toThrow(/adds more/);
  });

  it("B3: the limit applies to the sum of all operations", () => {
    const chunk = (at: number) => ({ op: "add", path: `/${at}`, value: "z".repeat(100_000) });
    expect(() => apply({}, ...[0, 1, 2, 3, 4].map(chunk))).not.toThrow();
    expect(() => apply({}, ...[0, 1, 2, 3, 4, 5].map(chunk))).toThrow(/^operation 5, add/);
  });
});
