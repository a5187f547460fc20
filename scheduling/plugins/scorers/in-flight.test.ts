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
    ["the idle 1, the busiest 0", {}, [0, 1, 2, 4], [1, 0.75, 0.5, 0]],
    ["all idle", {}, [0, 0], [1, 1]],
    ["all equally busy", {}, [3, 3], [0, 0]],
    ["a few requests count as idle", { idleThreshold: 2 }, [0, 2, 3, 6], [1, 1, 0.5, 0]],
    ["the busy are kept below the idle", { maxBusyScore: 0.5 }, [0, 1, 4], [1, 0.375, 0]],
    ["the busy have nothing", { maxBusyScore: 0 }, [0, 1, 4], [1, 0, 0]],
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

  it("counts tokens on their way and those of the prompt, in whole blocks", () => {
    expect(scores({ queueThresholdTokens: 1000 }, [])).toEqual([0.9, 1]);
    // One byte more than a block: two blocks.
    expect(scores({ queueThresholdTokens: 1000 }, [`${blocks(1)}y`])).toEqual([
      1 - 228 / 1000,
      1 - 128 / 1000,
    ]);
  });

  it("leaves out what the endpoint has cached", () => {
    const prompts = [blocks(4, "c")];
    const match = cycleOf(endpoints, { prompts }).prefix(cache);
    cache.insert(match, b);
    expect(scores({ queueThresholdTokens: 1000 }, prompts)).toEqual([1 - 356 / 1000, 1]);
    expect(scores({ queueThresholdTokens: 1000 }, [blocks(5, "c")])).toEqual([
      1 - 420 / 1000,
      1 - 64 / 1000,
    ]);
  });

  it("counts the whole prompt where no cache is configured", () => {
    const cycle = cycleOf(endpoints, { prompts: [blocks(4, "c")] });
    const plugin = pluginOf("token-load-scorer", { queueThresholdTokens: 1000 });
    expect(scoresOf(plugin, cycle)).toEqual([1 - 356 / 1000, 1 - 256 / 1000]);
  });

  it("is 0 from the threshold on", () => {
    expect(scores({ queueThresholdTokens: 100 }, [])).toEqual([0, 1]);
    expect(scores({ queueThresholdTokens: 50 }, [])).toEqual([0, 1]);
  });

  it("has room for 128 requests of 32768 tokens by default", () => {
    const [full] = endpointsWith({ runningTokens: 128 * 32_768 });
    const [half] = endpointsWith({ runningTokens: 64 * 32_768 });
    const found = scoresOf(pluginOf("token-load-scorer"), cycleOf([full, half]));
    expect(found).toEqual([0, 0.5]);
  });

  it("counts what lies beyond the tokens that are looked at", () => {
    const small = newPrefixCache({ maxPrefixTokensToMatch: 128 });
    const [only] = endpointsWith({});
    const cycle = cycleOf([only], { prompts: [blocks(10)], cache: small });
    const plugin = pluginOf("token-load-scorer", { queueThresholdTokens: 1280 });
    expect(scoresOf(plugin, cycle)).toEqual([0.5]);
  });
});
