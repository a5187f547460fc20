import { describe, expect, it } from "vitest";
import { hasPlaceFor, parsePropertyPath } from "./property-path.ts";

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

  it.each(["spec[", "spec]", 'a["b', "a..b"])("refuses %s and says where", (path) => {
    expect(() => parsePropertyPath(path)).toThrow(/cannot be read at character \d+; write it like/);
  });
});

describe("hasPlaceFor", () => {
  const object = {
    metadata: { annotations: {} },
    spec: { replicas: 2, template: { containers: [{ image: "a" }] } },
  };

  it.each([
    ["data", true],
    ["spec.replicas", true],
    ["spec.unset", true],
    ['metadata.annotations["a/b"]', true],
    ["spec.template.containers[0].env", true],
    ["spec.template.containers[*].env", true],
    ["spec.*.containers", true],
    ["spec.template.containers[1].env", false],
    ["status.replicas", false],
    ["spec.replicas.count", false],
    ["spec.toString.name", false],
  ])("%s: %s", (path, expected) => {
    expect(hasPlaceFor(path, object)).toBe(expected);
  });
});
