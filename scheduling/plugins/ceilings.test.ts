import { describe, expect, it } from "vitest";
import { pluginOf } from "../cycles.fixture.ts";

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

  /** Slots that each band leaves unused after requests of these priorities, in turns. */
  function reserved(
    turns: readonly number[],
    { slots = 400, endpoints = 4, parameters = {}, requests = 10_000 } = {},
  ) {
    const pool = pluginOf("slot-reserve-policy", parameters).ceilings?.forPool();
    for (let at = 0; at < requests; at += 1) pool?.dispatched?.(turns[at % turns.length] as number);
    const ceilings = Array.from(pool?.ceilings(0.5, priorities, { slots, endpoints }) ?? []);
    return ceilings.map((ceiling) => Math.floor((1 - ceiling) * slots));
  }
  const oneIn = (count: number, priority: number) => [
    priority,
    ...Array.from({ length: count - 1 }, () => -1),
  ];

  it.each([
    ["nothing before the first request", [-1], { requests: 0 }, [0, 0, 0]],
    ["nothing where there is one band", [-1], {}, [0, 0, 0]],
    ["nothing for requests that are rare", oneIn(200, 1), {}, [0, 0, 0]],
    ["one for each endpoint, to bands that have requests", oneIn(10, 0), {}, [0, 0, 4]],
    ["what bands above need, to those between", oneIn(10, 1), {}, [0, 4, 4]],
    ["no larger a part than they have of the requests", oneIn(20, 0), { slots: 50 }, [0, 0, 2]],
    ["as many as make them find one", [0, -1], { endpoints: 1 }, [0, 0, 5]],
    ["more so that more find one", [0, -1], { parameters: { findSlot: 0.99 } }, [0, 0, 7]],
    ["an eighth of all at most", [0, -1], { slots: 16 }, [0, 0, 2]],
    ["nothing where an eighth is less than one", [0, -1], { slots: 7 }, [0, 0, 0]],
    ["an eighth where all requests are theirs", [0], {}, [0, 0, 50]],
  ])("slot-reserve-policy leaves %s", (_, turns, given, expected) => {
    expect(reserved(turns, given)).toEqual(expected);
  });

  it("slot-reserve-policy closes a band at the slot from which the rest is left, and not before", () => {
    const slots = 300;
    const pool = pluginOf("slot-reserve-policy").ceilings?.forPool();
    for (const priority of [0, -1]) pool?.dispatched?.(priority);
    const isOpen = (used: number) =>
      Array.from({ length: slots }, (_, at) => (at < used ? 1 / slots : 0)).reduce(
        (sum, each) => sum + each,
        0,
      ) < (pool?.ceilings(0, priorities, { slots, endpoints: 1 })[2] as number);
    expect([294, 295].map(isOpen)).toEqual([true, false]);
  });
});
