import { describe, expect, it } from "vitest";
import { parsePropertyPath } from "./property-path.ts";

describe("parsePropertyPath", () => {
  it.each([
    ["spec", ["spec"]],
    ["spec.replicas", ["spec", "replicas"]],
    ["spec.containers[0].env", ["spec", "containers", 0, "env"]],
    ['metadata.annotations["a.b/c"]', ["metadata", "annotations", "a.b/c"]],
    ['["a"].b', ["a", "b"]],
    ['a["say \\"hi\\""]', ["a", 'say "hi"']],
    ["a.*.b", ["a", "*", "b"]],
    ["a[*].b", ["a", "*", "b"]],
    ["*", ["*"]],
  ])("reads %s", (path, steps) => {
    expect(parsePropertyPath(path)).toEqual(steps);
  });

  it.each(["spec[", "spec]", 'a["b', "a..b"])("refuses %s with the position", (path) => {
    expect(() => parsePropertyPath(path)).toThrow(
      /is not valid at character \d+; allowed: a path such as/,
    );
  });
});
