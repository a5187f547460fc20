import { describe, expect, it } from "vitest";
import {
  blocks,
  cycleOf,
  endpointsWith,
  leftBy,
  newPrefixCache,
  pluginOf,
} from "../../cycles.fixture.ts";

/** Filters pods, each with its cached blocks of a ten-block prompt and its in-flight tokens. */
function left(
  parameters: object,
  pods: ReadonlyArray<readonly [cached: number, runningTokens: number]>,
  { prompts = [blocks(10)], random = (): number => 0.5 } = {},
) {
  const cache = newPrefixCache();
  const endpoints = endpointsWith(...pods.map(([, runningTokens]) => ({ runningTokens })));
  endpoints.forEach((endpoint, at) => {
    const cycle = cycleOf(endpoints, { prompts: [blocks(pods[at]?.[0] ?? 0)] });
    cache.insert(cycle.prefix(cache), endpoint);
  });
  const plugin = pluginOf("prefix-cache-affinity-filter", parameters, { cache });
  return leftBy(plugin, cycleOf(endpoints, { prompts, random }));
}

const all = ["a", "b", "c"];

describe("prefix-cache-affinity-filter", () => {
  it.each([
    ["pods at the threshold and above", {}, [8, 7, 10], ["a", "c"]],
    ["all pods if none reaches the threshold", {}, [7, 0, 3], all],
    ["all pods if all reach the threshold", {}, [9, 8, 10], all],
    ["all pods with threshold 0", { affinityThreshold: 0 }, [10, 0, 0], all],
    ["only whole matches with threshold 1", { affinityThreshold: 1 }, [9, 10, 0], ["b"]],
  ])("keeps %s", (_, parameters, cached, expected) => {
    expect(
      left(
        parameters,
        cached.map((count) => [count, 0] as const),
      ),
    ).toEqual(expected);
  });

  it("keeps a pod with exactly the threshold, even if the product rounds up", () => {
    const pods = [
      [55, 0],
      [54, 0],
    ] as const;
    // 0.55 times 100 is above 55 in binary.
    expect(left({ affinityThreshold: 0.55 }, pods, { prompts: [blocks(100)] })).toEqual(["a"]);
  });

  it("keeps all pods if the request has no prompt", () => {
    expect(
      left(
        {},
        [
          [10, 0],
          [0, 0],
        ],
        { prompts: [] },
      ),
    ).toEqual(["a", "b"]);
  });

  it.each([
    ["exactly the penalty", 18_000 * 15.928, ["a"]],
    ["more than the penalty", 18_000 * 15.928 + 1, ["a", "b"]],
  ])("estimates the wait with 15928 tokens per second by default: %s", (_, tokens, expected) => {
    expect(
      left({}, [
        [10, tokens],
        [0, 0],
      ]),
    ).toEqual(expected);
  });

  it("compares the shortest waits of both groups", () => {
    const parameters = { maxTTFTPenaltyMs: 100, peakPrefillThroughput: 1000 };
    expect(
      left(parameters, [
        [10, 500],
        [10, 150],
        [0, 50],
      ]),
    ).toEqual(["a", "b"]);
    expect(
      left(parameters, [
        [10, 500],
        [10, 151],
        [0, 50],
      ]),
    ).toEqual(all);
    expect(
      left(parameters, [
        [10, 500],
        [0, 400],
        [0, 399],
      ]),
    ).toEqual(all);
  });

  it("ignores the wait with maxTTFTPenaltyMs 0", () => {
    expect(
      left({ maxTTFTPenaltyMs: 0 }, [
        [10, 1e9],
        [0, 0],
      ]),
    ).toEqual(["a"]);
  });

  it("keeps all pods with explorationProbability", () => {
    const parameters = { explorationProbability: 0.3 };
    expect(
      left(
        parameters,
        [
          [10, 0],
          [0, 0],
        ],
        { random: () => 0.29 },
      ),
    ).toEqual(["a", "b"]);
    expect(
      left(
        parameters,
        [
          [10, 0],
          [0, 0],
        ],
        { random: () => 0.3 },
      ),
    ).toEqual(["a"]);
  });

  it.each([
    [{ affinityThreshold: 1.1 }],
    [{ explorationProbability: -0.1 }],
    [{ maxTTFTPenaltyMs: -1 }],
    [{ peakPrefillThroughput: 0 }],
    [{ ttftSource: "guess" }],
  ])("refuses %j", (parameters) => {
    expect(() => pluginOf("prefix-cache-affinity-filter", parameters)).toThrow();
  });
});
