import { describe, expect, test } from "vitest";
import { parsePropertyPath as parsePath } from "../kubernetes/values/property-path.ts";
import { changedPaths } from "./changed-paths.ts";
import { ignoringChanges, replacedOnChanges } from "./property-options.ts";
import { contains, formatPath, getAt, setAt } from "./property-path.ts";
import { secret, UNKNOWN } from "./property-value.ts";

describe("paths", () => {
  test.each([
    ["spec.containers[0].image", ["spec", "containers", 0, "image"]],
    ['metadata.annotations["a.b/c"]', ["metadata", "annotations", "a.b/c"]],
    ["spec.ports[*].name", ["spec", "ports", "*", "name"]],
    ["*", ["*"]],
  ])("%s", (text, path) => {
    expect(parsePath(text)).toEqual(path);
    expect(parsePath(formatPath(path))).toEqual(path);
  });

  test.each(["spec..a", "spec[", "spec[a]", 'spec["a]'])("%s is refused", (text) => {
    expect(() => parsePath(text)).toThrow("is not valid at");
  });

  test("a path contains the paths below it", () => {
    expect(contains(["a", "*"], ["a", 1, "b"])).toBe(true);
    expect(contains(["a", "b"], ["a"])).toBe(false);
  });

  test("a path may pass through a secret", () => {
    const value = { a: secret({ b: [1, 2] }) };
    expect(getAt(value, ["a", "b", 1])).toBe(2);
    expect(setAt(value, ["a", "b", 1], 3)).toEqual({ a: secret({ b: [1, 3] }) });
    expect(setAt(value, ["a", "b"], undefined)).toEqual({ a: secret({}) });
    expect(setAt(value, ["x", "y"], undefined)).toEqual(value);
  });
});

describe("changes", () => {
  test.each([
    ["nothing", { a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, []],
    ["a leaf", { a: [1, { b: 2 }] }, { a: [1, { b: 3 }] }, ["a[1].b"]],
    ["a whole map", { a: { b: 1 } }, {}, ["a"]],
    ["an item", { a: [1] }, { a: [1, 2] }, ["a[1]"]],
    ["a kind of value", { a: { b: 1 } }, { a: [1] }, ["a"]],
    ["an unknown", { a: 1, b: UNKNOWN }, { a: UNKNOWN, b: UNKNOWN }, ["a", "b"]],
    ["only what is secret", { a: 1 }, { a: secret(1) }, []],
  ])("%s", (_, from, to, paths) => {
    expect(changedPaths(from, to).map(({ path }) => formatPath(path))).toEqual(paths);
  });
});

describe("options", () => {
  test("ignoreChanges reverts changes, additions and removals", () => {
    const before = { spec: { a: 1, list: [{ n: 1, m: 1 }] } };
    const after = { spec: { a: 2, b: 2, list: [{ n: 2, m: 2 }] } };
    expect(ignoringChanges(after, before, ["spec.a", "spec.b", "spec.list[*].n"])).toEqual({
      spec: { a: 1, list: [{ n: 1, m: 2 }] },
    });
    expect(ignoringChanges({ spec: {} }, before, ["spec.a"])).toEqual({ spec: { a: 1 } });
  });

  test("replaceOnChanges returns the changed paths below its paths", () => {
    const changed = [
      ["spec", "a", "b"],
      ["spec", "c"],
    ];
    expect(replacedOnChanges(changed, ["spec.a"])).toEqual([["spec", "a", "b"]]);
    expect(replacedOnChanges(changed, ["*"])).toEqual(changed);
  });
});
