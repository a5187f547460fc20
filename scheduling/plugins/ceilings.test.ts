import { describe, expect, it } from "vitest";
import { pluginOf } from "../cycles.fixture.ts";

const ceilingsOf = (type: string, parameters: object = {}) => {
  const pool = pluginOf(type, parameters).ceilings?.forPool();
  return (saturation: number, priorities: readonly number[]) =>
    Array.from(pool?.ceilings(saturation, priorities) ?? []);
};

describe("static-usage-limit-policy", () => {
  it.each([
    [{}, [1, 1]],
    [{ threshold: 0.7 }, [0.7, 0.7]],
  ])("%j", (parameters, expected) => {
    expect(ceilingsOf("static-usage-limit-policy", parameters)(0.9, [1, 0])).toEqual(expected);
  });
});

describe("priority-holdback-policy", () => {
  const type = "priority-holdback-policy";

  it.each([
    ["by rank", { minCeiling: 0.6 }, [7, 0, -1], [1, 0.8, 0.6]],
    ["alone", { minCeiling: 0.6, maxCeiling: 0.9 }, [7], [0.9]],
    ["of none", { minCeiling: 0.6 }, [], []],
    ["by value", { minCeiling: 0.5, domain: "value" }, [100, 0, -10], [1, 6 / 11, 0.5]],
    ["below a lower maximum", { minCeiling: 0.2, maxCeiling: 0.8 }, [2, 1, 0], [0.8, 0.5, 0.2]],
  ])("%s", (_, parameters, priorities, expected) => {
    ceilingsOf(type, parameters)(0.5, priorities).forEach((ceiling, at) => {
      expect(ceiling).toBeCloseTo(expected[at] as number, 12);
    });
  });

  it.each([
    [{}, "minCeiling"],
    [{ minCeiling: 1 }, "expected number to be <1"],
    [{ minCeiling: 0.5, maxCeiling: 0.5 }, "minCeiling must be below maxCeiling"],
    [{ minCeiling: 0.5, shape: "sigmoid" }, "linear"],
  ])("refuses %j", (parameters, message) => {
    expect(() => pluginOf(type, parameters)).toThrow(message);
  });
});

describe("soft-reflective-ceiling-policy", () => {
  const type = "soft-reflective-ceiling-policy";
  const priorities = [2, 1, 0];

  it.each([
    ["little is used", 0.4, [1, 1, 1]],
    ["the lowest is reached, in every turn at first", 0.5, [1, 1, 1]],
    ["full", 1, [1, 0, 0]],
    ["beyond", 2, [1, 0, 0]],
  ])(
    "soft-reflective-ceiling-policy lowers ceilings step by step: %s",
    (_, saturation, expected) => {
      expect(ceilingsOf(type)(saturation, priorities)).toEqual(expected);
    },
  );

  it("opens the bands that it holds back in a share of the turns, all in the same", () => {
    const ceilings = ceilingsOf(type);
    const turns = Array.from({ length: 8 }, () => ceilings(0.8, priorities).join(""));
    // The period is 0.8 / 0.2 turns.
    expect(turns).toEqual(["100", "100", "100", "111", "100", "100", "100", "111"]);
  });

  it("leaves a band alone that is below its ceiling", () => {
    const ceilings = ceilingsOf(type);
    expect(ceilings(0.64, priorities)).toEqual([1, 1, 0]);
    expect(ceilings(0.64, priorities)).toEqual([1, 1, 1]);
  });

  it("holds nothing back where there is one band", () => {
    expect(ceilingsOf(type)(3, [0])).toEqual([1]);
  });
});
