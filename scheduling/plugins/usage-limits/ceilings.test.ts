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
  ])("%j sets the ceilings to %j", (parameters, expected) => {
    expect(ceilingsOf("static-usage-limit-policy", parameters)(0.9, [1, 0])).toEqual(expected);
  });
});

describe("priority-holdback-policy", () => {
  const type = "priority-holdback-policy";

  it.each([
    ["by rank", { minCeiling: 0.6 }, [7, 0, -1], [1, 0.8, 0.6]],
    ["for a single band", { minCeiling: 0.6, maxCeiling: 0.9 }, [7], [0.9]],
    ["for no band", { minCeiling: 0.6 }, [], []],
    ["by value", { minCeiling: 0.5, domain: "value" }, [100, 0, -10], [1, 6 / 11, 0.5]],
    ["below maxCeiling", { minCeiling: 0.2, maxCeiling: 0.8 }, [2, 1, 0], [0.8, 0.5, 0.2]],
  ])("spaces ceilings %s", (_, parameters, priorities, expected) => {
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
    ["low saturation", 0.4, [1, 1, 1]],
    ["the lowest band at its ceiling, which opens in every turn", 0.5, [1, 1, 1]],
    ["a full pool", 1, [1, 0, 0]],
    ["more than a full pool", 2, [1, 0, 0]],
  ])("lowers ceilings step by step: %s", (_, saturation, expected) => {
    expect(ceilingsOf(type)(saturation, priorities)).toEqual(expected);
  });

  it("opens all held-back bands together, in a share of the turns", () => {
    const ceilings = ceilingsOf(type);
    const turns = Array.from({ length: 8 }, () => ceilings(0.8, priorities).join(""));
    // The period is 0.8 / 0.2 turns.
    expect(turns).toEqual(["100", "100", "100", "111", "100", "100", "100", "111"]);
  });

  it("does not limit a band below its ceiling", () => {
    const ceilings = ceilingsOf(type);
    expect(ceilings(0.64, priorities)).toEqual([1, 1, 0]);
    expect(ceilings(0.64, priorities)).toEqual([1, 1, 1]);
  });

  it("does not limit a single band", () => {
    expect(ceilingsOf(type)(3, [0])).toEqual([1]);
  });
});

describe("slot-reserve-policy", () => {
  const priorities = [1, 0, -1];
  const none = undefined;

  /**
   * Returns `used`, `free` and `least` of each band's reserve, in percent of all slots, after requests of these
   * priorities.
   */
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
    ["nothing for a single band", [-1], {}, [none, none, none]],
    ["nothing for rare requests", oneIn(200, 1), {}, [none, none, none]],
    ["twice the slots that higher bands use", oneIn(10, 0), {}, [none, none, [10, 10, 1]]],
    [
      "slots for the highest band, in every lower band",
      oneIn(10, 1),
      {},
      [none, [10, 10, 1], [10, 10, 1]],
    ],
    [
      "more slots with a lower reservedUtilization",
      oneIn(10, 0),
      { parameters: { reservedUtilization: 0.4 } },
      [none, none, [10, 15, 1]],
    ],
    [
      "the used slots and one more with reservedUtilization 1",
      oneIn(10, 0),
      { parameters: { reservedUtilization: 1 } },
      [none, none, [10, 1, 1]],
    ],
    ["enough slots that higher bands find one", [0, -1], { slots: 100 }, [none, none, [50, 17, 5]]],
    [
      "more slots with a higher freeSlotProbability",
      [0, -1],
      { slots: 100, parameters: { freeSlotProbability: 0.99 } },
      [none, none, [50, 17, 7]],
    ],
    ["at most maxReservedShare unused slots", [0, -1], { slots: 16 }, [none, none, [50, 17, 17]]],
    ["no unused slots if all requests are of higher bands", [0], {}, [none, none, [100, 0, 17]]],
  ])("slot-reserve-policy reserves %s", (_, turns, given, expected) => {
    expect(reserved(turns, given)).toEqual(expected);
  });

  it("slot-reserve-policy closes no band by its ceiling", () => {
    expect(ceilingsOf("slot-reserve-policy")(0.99, priorities)).toEqual([1, 1, 1]);
  });
});
