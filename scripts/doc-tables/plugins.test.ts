import { expect, it } from "vitest";
import { pluginTypes } from "../../scheduling/plugins/index.ts";
import { pluginTables } from "./plugins.ts";

const rowsOf = (type: string) =>
  Object.values(pluginTables)
    .flatMap((lines) => lines())
    .filter((line) => line.startsWith(`| \`${type}\` |`));

it.each([
  [
    "load-aware-scorer",
    "0.5 for an empty queue, falling to 0 at the threshold.",
    "`threshold`: integer, > 0, default `128`. Number of waiting requests.",
  ],
  ["queue-scorer", "1 for the shortest queue among the candidates, 0 for the longest.", "none"],
  ["single-profile-handler", "Runs the only profile.", "any, not read"],
  [
    "by-label",
    "Keeps pods whose label has one of the given values.",
    "`label`: string, required.<br>`validValues`: list, default `[]`.<br>`allowsNoLabel`: boolean, default `false`.",
  ],
])("a table describes %s in one row", (type, does, parameters) => {
  expect(rowsOf(type)).toEqual([`| \`${type}\` | ${does} | ${parameters} |`]);
});

it("a table contains nested parameters by their path", () => {
  const [row] = rowsOf("label-selector-filter");
  expect(row).toContain("`matchExpressions[].key`: string, required.");
  expect(rowsOf("disagg-profile-handler")[0]).toContain(
    '`profiles.decode`: string, default `"decode"`.',
  );
});

it("the tables contain every type, once for each of its kinds", () => {
  for (const { type } of pluginTypes) expect(rowsOf(type).length).toBeGreaterThan(0);
  expect(rowsOf("utilization-detector")).toHaveLength(2);
});
