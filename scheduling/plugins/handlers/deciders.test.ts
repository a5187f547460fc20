import { describe, expect, it } from "vitest";
import { blocks, cycleOf, endpointsOf, newPrefixCache, pluginOf } from "../../cycles.fixture.ts";

const [cold, warm] = endpointsOf("cold", "warm");

describe("prefix-based-pd-decider", () => {
  const cache = newPrefixCache();
  cache.insert(cycleOf([cold, warm], { prompts: [blocks(3)] }).prefix(cache), warm);

  const decides = (parameters: object, prompt: string, on: typeof cold | undefined) =>
    pluginOf("prefix-based-pd-decider", parameters, { cache }).decider?.disaggregate(
      cycleOf([cold, warm], { prompts: [prompt] }),
      on,
    );

  it.each([
    ["requests no prefiller with nonCachedTokens 0", {}, blocks(9), cold, false],
    [
      "requests a prefiller for nonCachedTokens uncached tokens",
      { nonCachedTokens: 64 },
      blocks(1),
      cold,
      true,
    ],
    ["requests no prefiller for a shorter prompt", { nonCachedTokens: 65 }, blocks(1), cold, false],
    [
      "requests a prefiller for a prompt just above",
      { nonCachedTokens: 65 },
      `${blocks(1)}y`,
      cold,
      true,
    ],
    ["ignores cached tokens", { nonCachedTokens: 65 }, blocks(4), warm, false],
    ["counts uncached tokens", { nonCachedTokens: 64 }, blocks(4), warm, true],
    [
      "requests no prefiller for a prompt below promptTokens",
      { nonCachedTokens: 64, promptTokens: 257 },
      blocks(4),
      cold,
      false,
    ],
    [
      "requests a prefiller for a prompt of promptTokens",
      { nonCachedTokens: 64, promptTokens: 256 },
      blocks(4),
      cold,
      true,
    ],
    [
      "requests no prefiller without a decoder",
      { nonCachedTokens: 1 },
      blocks(4),
      undefined,
      false,
    ],
  ])("%s", (_, parameters, prompt, on, expected) => {
    expect(decides(parameters, prompt, on)).toBe(expected);
  });

  it.each([[{ nonCachedTokens: -1 }], [{ promptTokens: -1 }]])("refuses %j", (parameters) => {
    expect(() => pluginOf("prefix-based-pd-decider", parameters)).toThrow(">=0");
  });
});

it("always-disagg-pd-decider requests a prefiller for every request", () => {
  const { decider } = pluginOf("always-disagg-pd-decider");
  expect(decider?.disaggregate(cycleOf([cold]), cold)).toBe(true);
  expect(decider?.disaggregate(cycleOf([cold]), undefined)).toBe(true);
});

it.each([true, false])(
  "always-disagg-multimodal-decider requests encoders if a request has media: %s",
  (hasMedia) => {
    const { decider } = pluginOf("always-disagg-multimodal-decider");
    const cycle = cycleOf([cold], { hasMedia });
    expect(decider?.disaggregate(cycle, cold)).toBe(hasMedia);
    expect(decider?.disaggregate(cycle, undefined)).toBe(hasMedia);
  },
);
