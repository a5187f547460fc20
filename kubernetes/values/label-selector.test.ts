import { expect, it } from "vitest";
import { parseLabelSelector, selects } from "./label-selector.ts";

const labels = { "topology.kubernetes.io/region": "eu", tier: "prod" };

it.each([
  ["tier=prod", true],
  ["tier==prod", true],
  ["tier = test", false],
  ["tier!=test", true],
  ["tier!=prod", false],
  ["other!=x", true],
  ["topology.kubernetes.io/region in (us, eu)", true],
  ["topology.kubernetes.io/region in (us)", false],
  ["topology.kubernetes.io/region notin (us,ap)", true],
  ["topology.kubernetes.io/region notin (eu)", false],
  ["other notin (a)", true],
  ["tier", true],
  ["other", false],
  ["!other", true],
  ["!tier", false],
  ["constructor", false],
  ["topology.kubernetes.io/region in (us, eu),tier=prod, !other", true],
  ["topology.kubernetes.io/region in (us, eu),tier=test", false],
] as const)("selector %s selects the labels: %s", (text, expected) => {
  expect(selects(parseLabelSelector(text) ?? [], labels)).toBe(expected);
});

it.each([
  "",
  ",",
  "tier=",
  "=prod",
  "tier in ()",
  "tier in (a",
  "tier=a b",
  "tier in (a),",
  "a/b/c",
])("%j is not a selector", (text) => {
  expect(parseLabelSelector(text)).toBeUndefined();
});
