import { describe, expect, it } from "vitest";
import {
  cycleOf,
  endpointsOf,
  metrics,
  now,
  pluginOf,
  stale,
  staleAfter,
} from "./cycles.fixture.ts";
import { pluginTypes, pluginTypesByKind } from "./plugin-types.ts";

/** Parameters of plugins that do not go without. */
const needed: Readonly<Record<string, object>> = {
  "by-label": { label: "zone", validValues: ["x"] },
};

const kinds = Object.keys(pluginTypesByKind) as ReadonlyArray<keyof typeof pluginTypesByKind>;

describe.each(pluginTypes.map((each) => [each.type, each] as const))("%s", (type, known) => {
  it("is of the kinds that it is listed as", () => {
    const plugin = pluginOf(type, needed[type]);
    const listed = kinds.filter((kind) =>
      (pluginTypesByKind[kind] as readonly unknown[]).includes(known),
    );
    expect(kinds.filter((kind) => plugin[kind] !== undefined)).toEqual(listed);
    expect(listed.length).toBeGreaterThan(0);
  });

  it("has a summary that is a sentence", () => {
    expect(known.summary).toMatch(/\.$/);
  });
});

it("each type is there once", () => {
  const types = pluginTypes.map(({ type }) => type);
  expect(new Set(types).size).toBe(types.length);
});

describe("a cycle", () => {
  const [endpoint] = endpointsOf("a");

  it("believes metrics up to their age", () => {
    const read = (given: ReturnType<typeof metrics> | undefined) => {
      endpoint.live.metrics = given;
      return cycleOf([endpoint]).metrics(endpoint);
    };
    const young = metrics({ at: now - staleAfter });
    expect(read(young)).toBe(young);
    expect(read(stale())).toBeUndefined();
    expect(read(undefined)).toBeUndefined();
  });
});
