import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cycleOf, endpoint, leftBy, pluginOf, scoresOf } from "../../cycles.fixture.ts";

const type = "context-length-aware";
const pods = (...ranges: ReadonlyArray<string | undefined>) =>
  ranges.map((range, at) =>
    endpoint(`p${at}`, {
      labels: range === undefined ? {} : { "llm-d.ai/context-length-range": range },
    }),
  );
/** Returns prompts of `count` tokens, four bytes each. */
const tokens = (count: number) => ["abcd".repeat(count)];

const scores = (count: number, ...ranges: ReadonlyArray<string | undefined>) =>
  scoresOf(pluginOf(type), cycleOf(pods(...ranges), { prompts: tokens(count) }));

describe("the score of context-length-aware", () => {
  it.each([
    ["no label", 100, undefined, 0.5],
    ["an invalid range", 100, "short", 0],
    ["a reversed range", 100, "200-100", 0],
    ["a range of one length", 100, "100-100", 1],
    ["the start of a range", 0, "0-10000", 0.3 + 0.7 * (0.7 / 2 + 0.3)],
    ["the middle of a range", 5000, "0-10000", 0.3 + 0.7 * (0.7 / 2 + 0.15)],
    ["the end of a range", 10_000, "0-10000", 0.3 + 0.7 * (0.7 / 2)],
    ["blanks in a range", 10_000, " 0 - 10000 ", 0.3 + 0.7 * (0.7 / 2)],
    ["a prompt just above the range", 101, "0-100", 0.3 / 1.001],
    ["a prompt far above the range", 1100, "0-100", 0.15],
    ["a prompt below the range", 100, "1100-2000", 0.15],
  ])("%s: %i tokens in range %s score %d", (_, count, range, expected) => {
    expect(scores(count, range)).toEqual([expect.closeTo(expected, 12)]);
  });

  it("is higher for a narrower range, and for any range that contains the prompt", () => {
    const [narrow, wide, other] = scores(100, "0-1000", "0-100000", "101-1000") as number[];
    expect(narrow).toBeGreaterThan(wide as number);
    expect(wide).toBeGreaterThan(other as number);
  });

  it("is always in 0..1", () => {
    const cases = fc.tuple(fc.nat(3000), fc.nat(5000), fc.nat(5000));
    fc.assert(
      fc.property(cases, ([count, min, width]) => {
        const [score = -1] = scores(count, `${min}-${min + width}`);
        expect(score).toBeGreaterThan(0);
        expect(score).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe("the filter of context-length-aware", () => {
  const ranges = ["0-100", undefined, "101-200", "bad"];
  const left = (parameters: object, count: number) =>
    leftBy(pluginOf(type, parameters), cycleOf(pods(...ranges), { prompts: tokens(count) }));

  it("is off by default", () => {
    expect(left({}, 100)).toEqual(["p0", "p1", "p2", "p3"]);
  });

  it.each([
    [100, ["p0", "p1"]],
    [101, ["p1", "p2"]],
    [201, ["p1"]],
  ])("given a prompt of %i tokens, keeps pods %j", (count, expected) => {
    expect(left({ enableFiltering: true }, count)).toEqual(expected);
  });

  it("reads the configured label", () => {
    const parameters = { enableFiltering: true, label: "other" };
    expect(left(parameters, 1000)).toEqual(["p0", "p1", "p2", "p3"]);
    expect(() => pluginOf(type, { label: "" })).toThrow();
  });
});
