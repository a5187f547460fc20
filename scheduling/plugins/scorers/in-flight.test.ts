import { describe, expect, it } from "vitest";
import {
  blocks,
  cycleOf,
  endpointsWith,
  newPrefixCache,
  pluginOf,
  scoresOf,
} from "../../cycles.fixture.ts";

describe("active-request-scorer", () => {
  const scores = (parameters: object, ...counts: number[]) =>
    scoresOf(
      pluginOf("active-request-scorer", parameters),
      cycleOf(endpointsWith(...counts.map((runningRequests) => ({ runningRequests })))),
    );

  it.each([
    ["scores an idle endpoint 1 and the busiest one 0", {}, [0, 1, 2, 4], [1, 0.75, 0.5, 0]],
    ["scores 1 if all are idle", {}, [0, 0], [1, 1]],
    ["scores 0 if all are equally busy", {}, [3, 3], [0, 0]],
    [
      "counts up to idleThreshold requests as idle",
      { idleThreshold: 2 },
      [0, 2, 3, 6],
      [1, 1, 0.5, 0],
    ],
    ["scores busy endpoints at most maxBusyScore", { maxBusyScore: 0.5 }, [0, 1, 4], [1, 0.375, 0]],
    ["scores busy endpoints 0 with maxBusyScore 0", { maxBusyScore: 0 }, [0, 1, 4], [1, 0, 0]],
  ])("%s", (_, parameters, counts, expected) => {
    expect(scores(parameters, ...counts)).toEqual(expected);
  });
});

describe("token-load-scorer", () => {
  const cache = newPrefixCache();
  const [a, b] = endpointsWith({ runningTokens: 100 }, {});
  const endpoints = [a, b];
  const scores = (parameters: object, prompts: string[]) =>
    scoresOf(pluginOf("token-load-scorer", parameters), cycleOf(endpoints, { prompts, cache }));

  it("counts in-flight tokens and the tokens of the prompt, in whole blocks", () => {
    expect(scores({ queueThresholdTokens: 1000 }, [])).toEqual([0.9, 1]);
    // One byte more than a block makes two blocks.
    expect(scores({ queueThresholdTokens: 1000 }, [`${blocks(1)}y`])).toEqual([
      1 - 228 / 1000,
      1 - 128 / 1000,
    ]);
  });

  it("ignores tokens that the endpoint has cached", () => {
    const prompts = [blocks(4, "c")];
    const match = cycleOf(endpoints, { prompts }).prefix(cache);
    cache.insert(match, b);
    expect(scores({ queueThresholdTokens: 1000 }, prompts)).toEqual([1 - 356 / 1000, 1]);
    expect(scores({ queueThresholdTokens: 1000 }, [blocks(5, "c")])).toEqual([
      1 - 420 / 1000,
      1 - 64 / 1000,
    ]);
  });

  it("counts the whole prompt if no cache is configured", () => {
    const cycle = cycleOf(endpoints, { prompts: [blocks(4, "c")] });
    const plugin = pluginOf("token-load-scorer", { queueThresholdTokens: 1000 });
    expect(scoresOf(plugin, cycle)).toEqual([1 - 356 / 1000, 1 - 256 / 1000]);
  });

  it("is 0 from the threshold on", () => {
    expect(scores({ queueThresholdTokens: 100 }, [])).toEqual([0, 1]);
    expect(scores({ queueThresholdTokens: 50 }, [])).toEqual([0, 1]);
  });

  it("has capacity for 128 requests of 32768 tokens by default", () => {
    const [full] = endpointsWith({ runningTokens: 128 * 32_768 });
    const [half] = endpointsWith({ runningTokens: 64 * 32_768 });
    const found = scoresOf(pluginOf("token-load-scorer"), cycleOf([full, half]));
    expect(found).toEqual([0, 0.5]);
  });

  it("counts prompt tokens beyond the longest matched prefix", () => {
    const small = newPrefixCache({ maxPrefixTokensToMatch: 128 });
    const [only] = endpointsWith({});
    const cycle = cycleOf([only], { prompts: [blocks(10)], cache: small });
    const plugin = pluginOf("token-load-scorer", { queueThresholdTokens: 1280 });
    expect(scoresOf(plugin, cycle)).toEqual([0.5]);
  });
});
