import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  blocks,
  cycleOf,
  endpointsOf,
  newPrefixCache,
  pluginOf,
  scoresOf,
} from "../../cycles.fixture.ts";
import type { Endpoint } from "../../endpoints/endpoint.ts";

const endpoints = endpointsOf("none", "one", "three");

/** Returns a cache in which the endpoints have no, one and three blocks of the prompt. */
function warm() {
  const cache = newPrefixCache();
  const insert = (at: Endpoint, count: number) =>
    cache.insert(cycleOf(endpoints, { prompts: [blocks(count)] }).prefix(cache), at);
  insert(endpoints[1], 1);
  insert(endpoints[2], 3);
  return cache;
}

const scores = (type: string, parameters: object, prompts: string[]) =>
  scoresOf(pluginOf(type, parameters, { cache: warm() }), cycleOf(endpoints, { prompts }));

describe("prefix-cache-scorer", () => {
  it.each([
    ["scores the share of cached blocks", {}, [blocks(4)], [0, 0.25, 0.75]],
    ["counts no more blocks than the prompt has", {}, [blocks(2)], [0, 0.5, 1]],
    ["counts a partial block as a block", {}, [`${blocks(3)}y`], [0, 0.25, 0.75]],
    ["scores another prompt 0", {}, [blocks(4, "z")], [0, 0, 0]],
    ["counts all prompts together", {}, [blocks(3), blocks(1, "z")], [0, 0.25, 0.75]],
    ["scores 0 without a prompt", {}, [], [0, 0, 0]],
    ["scores an empty prompt 0", {}, [""], [0, 0, 0]],
  ])("%s", (_, parameters, prompts, expected) => {
    expect(scores("prefix-cache-scorer", parameters, prompts)).toEqual(expected);
  });

  it.each([
    [{ matchLengthWeight: 1, matchLengthScaleTokens: 256 }, [0, 1 / 16, 9 / 16]],
    [{ matchLengthWeight: 1, matchLengthScaleTokens: 128 }, [0, 0.25, 1]],
    [{ matchLengthWeight: 0.5, matchLengthScaleTokens: 256 }, [0, 5 / 32, 21 / 32]],
    [{ matchLengthWeight: 1 }, [0, (64 / 8192) ** 2, (192 / 8192) ** 2]],
  ])("adds the matched length with %j", (parameters, expected) => {
    expect(scores("prefix-cache-scorer", parameters, [blocks(4)])).toEqual(expected);
  });

  it.each([
    [{ matchLengthWeight: 1.1 }],
    [{ matchLengthWeight: -0.1 }],
    [{ matchLengthScaleTokens: 0 }],
  ])("refuses %j", (parameters) => {
    expect(() => pluginOf("prefix-cache-scorer", parameters)).toThrow();
  });

  it("stays in 0..1", () => {
    const cache = warm();
    const parameters = fc.record({
      matchLengthWeight: fc.double({ min: 0, max: 1, noNaN: true }),
      matchLengthScaleTokens: fc.integer({ min: 1, max: 10_000 }),
    });
    fc.assert(
      fc.property(parameters, fc.nat(8), (given, count) => {
        const plugin = pluginOf("prefix-cache-scorer", given, { cache });
        for (const score of scoresOf(plugin, cycleOf(endpoints, { prompts: [blocks(count)] }))) {
          expect(score).toBeGreaterThanOrEqual(0);
          expect(score).toBeLessThanOrEqual(1 + Number.EPSILON);
        }
      }),
    );
  });
});

describe("precise-prefix-cache-scorer", () => {
  it("scores the share of cached blocks", () => {
    const given = { indexerConfig: {} };
    expect(scores("precise-prefix-cache-scorer", given, [blocks(4)])).toEqual([0, 0.25, 0.75]);
  });
});
