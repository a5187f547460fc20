import { readdirSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import {
  cycleOf,
  endpointsOf,
  metrics,
  now,
  pluginOf,
  stale,
  staleAfterMs,
} from "../cycles.fixture.ts";
import type { PluginKind } from "../profiles/plugin.ts";
import { pluginTypes } from "./index.ts";

/** Values of required parameters. */
const needed: Readonly<Record<string, object>> = {
  "priority-holdback-policy": { minCeiling: 0.5 },
  "utilization-filter": { conditions: [{ metric: "waiting-queue", maxValue: 1 }] },
  "header-label-affinity-scorer": { headerName: "x-slice", labelKey: "slice" },
  "by-label": { label: "zone", validValues: ["x"] },
};

const kinds = [
  ...["filter", "scorer", "picker", "profileHandler", "decider", "detector"],
  ...["fairness", "ordering", "ceilings"],
] as readonly PluginKind[];

describe.each(pluginTypes.map((each) => [each.type, each] as const))("%s", (type, known) => {
  it("has the kinds that it lists", () => {
    const plugin = pluginOf(type, needed[type]);
    expect(kinds.filter((kind) => plugin[kind] !== undefined)).toEqual(known.kinds);
    expect(known.kinds.length).toBeGreaterThan(0);
  });

  it("has a summary that is a sentence", () => {
    expect(known.summary).toMatch(/\.$/);
  });
});

it("every plugin type is listed once, and a file is named after it", () => {
  const files = readdirSync(import.meta.dirname, { recursive: true }).map((path) =>
    basename(String(path)),
  );
  const types = pluginTypes.map(({ type }) => type).filter((type) => type !== "by-label-selector");
  expect(new Set(types).size).toBe(types.length);
  for (const type of types) expect(files).toContain(`${type}.ts`);
});

describe("a cycle", () => {
  const [endpoint] = endpointsOf("a");

  it("returns metrics up to their maximum age", () => {
    const read = (given: ReturnType<typeof metrics> | undefined) => {
      endpoint.live.metrics = given;
      return cycleOf([endpoint]).metrics(endpoint);
    };
    const young = metrics({ at: now - staleAfterMs });
    expect(read(young)).toBe(young);
    expect(read(stale())).toBeUndefined();
    expect(read(undefined)).toBeUndefined();
  });
});
