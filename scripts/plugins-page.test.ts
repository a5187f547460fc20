import { expect, it } from "vitest";
import { pluginTypes } from "../scheduling/plugins/index.ts";
import { pluginsPage } from "./plugins-page.ts";

const rowsOf = (type: string) =>
  pluginsPage()
    .split("\n")
    .filter((line) => line.startsWith(`| \`${type}\` |`));

it.each([
  [
    "load-aware-scorer",
    "0.5 with an empty queue, less with every waiting request, 0 from the threshold on.",
    "`threshold`: integer, > 0, default `128`. Waiting requests.",
  ],
  [
    "queue-scorer",
    "The shorter the queue of waiting requests among the candidates, the better.",
    "none",
  ],
  ["single-profile-handler", "Runs the only profile.", "any, not read"],
  [
    "by-label",
    "Pods whose label has one of some values.",
    "`label`: string, required.<br>`validValues`: list, default `[]`.<br>`allowsNoLabel`: boolean, default `false`.",
  ],
])("tells %s in one row", (type, does, parameters) => {
  expect(rowsOf(type)).toEqual([`| \`${type}\` | ${does} | ${parameters} |`]);
});

it("names parameters within others and in lists by their path", () => {
  const [row] = rowsOf("label-selector-filter");
  expect(row).toContain("`matchExpressions[].key`: string, required.");
  expect(rowsOf("disagg-profile-handler")[0]).toContain(
    '`profiles.decode`: string, default `"decode"`.',
  );
});

it("has every type, once for each kind that it is of", () => {
  for (const { type } of pluginTypes) expect(rowsOf(type).length).toBeGreaterThan(0);
  expect(rowsOf("utilization-detector")).toHaveLength(2);
});
