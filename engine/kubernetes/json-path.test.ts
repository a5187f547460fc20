import { describe, expect, test } from "vitest";
import { parseJsonPath } from "./json-path.ts";

const object = {
  status: {
    phase: "Running",
    conditions: [
      { type: "Ready", status: "False", n: 1 },
      { type: "Accepted", status: "True", n: 2 },
    ],
    parents: [{ name: "a", conditions: [{ type: "Accepted", status: "True" }] }, { name: "b" }],
    "a.b": 1,
  },
};

test.each<[string, unknown[]]>([
  ["$.status.phase", ["Running"]],
  [".status.phase", ["Running"]],
  [".status['a.b']", [1]],
  [".status.conditions[0].type", ["Ready"]],
  [".status.conditions[-1].type", ["Accepted"]],
  [".status.conditions[*].status", ["False", "True"]],
  ['.status.conditions[?(@.type=="Ready")].status', ["False"]],
  [".status.conditions[?@.type == 'Accepted'].status", ["True"]],
  ['.status.conditions[?(@.type=="Ready" || @.n>=2)].n', [1, 2]],
  ['.status.conditions[?(@.n>1 && @.status!="False")].n', [2]],
  [".status.parents[?(@.conditions)].name", ["a"]],
  ['.status.parents[*].conditions[?(@.type=="Accepted")].status', ["True"]],
  [".status.missing.deeper", []],
])("%s", (path, found) => {
  expect(parseJsonPath(path)(object)).toEqual(found);
});

describe("what cannot be read is refused", () => {
  test.each([
    ".status..phase",
    ".status[",
    ".status[?(@.a==)]",
    "status",
    ".status.conditions[1:2]",
  ])("%s", (path) => {
    expect(() => parseJsonPath(path)).toThrow("expected");
  });
});
