import { describe, expect, it } from "vitest";
import { accepts } from "./property-path.ts";

describe("accepts", () => {
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
  ])("the path %s: %s", (path, expected) => {
    expect(accepts(path, object)).toBe(expected);
  });
});
