import { describe, expect, it } from "vitest";
import { pluginOf } from "../../cycles.fixture.ts";

const ceilingsOf = (type: string, parameters: object = {}) => {
  const pool = pluginOf(type, parameters).ceilings?.forPool();
  return (saturation: number, priorities: readonly number[]) =>
    Array.from(pool?.ceilings(saturation, priorities, { slots: 100, endpoints: 10 }) ?? []);
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

describe("slot-reserve-policy", () => {
  const priorities = [1, 0, -1];
  const none = undefined;

  /** What each band leaves to higher ones after requests of these priorities, in turns; in percent of all slots. */
  function reserved(
    turns: readonly number[],
    { slots = 400, parameters = {}, requests = 10_000 } = {},
  ) {
    const pool = pluginOf("slot-reserve-policy", parameters).ceilings?.forPool();
    for (let at = 0; at < requests; at += 1) pool?.dispatched?.(turns[at % turns.length] as number);
    const reserves = pool?.reserves?.(priorities, { slots, endpoints: 4 }) ?? [];
    return reserves.map((each) => each && [each.used, each.free, each.least].map(percent));
  }
  const percent = (part: number) => Math.round(100 * part);
  const oneIn = (count: number, priority: number) => [
    priority,
    ...Array.from({ length: count - 1 }, () => -1),
  ];

  it.each<[string, readonly number[], object, unknown[]]>([
    ["nothing before the first request", [-1], { requests: 0 }, [none, none, none]],
    ["nothing where there is one band", [-1], {}, [none, none, none]],
    ["nothing for requests that are rare", oneIn(200, 1), {}, [none, none, none]],
    ["twice what bands use that have requests", oneIn(10, 0), {}, [none, none, [10, 10, 1]]],
    ["what bands above use, to those between", oneIn(10, 1), {}, [none, [10, 10, 1], [10, 10, 1]]],
    [
      "more where less of it is to be used",
      oneIn(10, 0),
      { parameters: { reservedUtilization: 0.4 } },
      [none, none, [10, 15, 1]],
    ],
    [
      "as much as they use and one slot where all of it may be used",
      oneIn(10, 0),
      { parameters: { reservedUtilization: 1 } },
      [none, none, [10, 1, 1]],
    ],
    ["as many slots as make them find one", [0, -1], { slots: 100 }, [none, none, [50, 17, 5]]],
    [
      "more so that more find one",
      [0, -1],
      { slots: 100, parameters: { freeSlotProbability: 0.99 } },
      [none, none, [50, 17, 7]],
    ],
    ["a sixth unused at most", [0, -1], { slots: 16 }, [none, none, [50, 17, 17]]],
    ["nothing unused where all requests are theirs", [0], {}, [none, none, [100, 0, 17]]],
  ])("slot-reserve-policy leaves %s", (_, turns, given, expected) => {
    expect(reserved(turns, given)).toEqual(expected);
  });

  it("slot-reserve-policy closes no band by a ceiling", () => {
    expect(ceilingsOf("slot-reserve-policy")(0.99, priorities)).toEqual([1, 1, 1]);
  });
});
