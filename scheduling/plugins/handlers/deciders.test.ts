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
    ["never with 0", {}, blocks(9), cold, false],
    ["as much uncached as asked", { nonCachedTokens: 64 }, blocks(1), cold, true],
    ["a shorter prompt", { nonCachedTokens: 65 }, blocks(1), cold, false],
    ["a prompt just above", { nonCachedTokens: 65 }, `${blocks(1)}y`, cold, true],
    ["what is cached does not count", { nonCachedTokens: 65 }, blocks(4), warm, false],
    ["the rest does", { nonCachedTokens: 64 }, blocks(4), warm, true],
    [
      "a prompt below promptTokens",
      { nonCachedTokens: 64, promptTokens: 257 },
      blocks(4),
      cold,
      false,
    ],
    ["a prompt of promptTokens", { nonCachedTokens: 64, promptTokens: 256 }, blocks(4), cold, true],
    ["no decoder", { nonCachedTokens: 1 }, blocks(4), undefined, false],
  ])("%s", (_, parameters, prompt, on, expected) => {
    expect(decides(parameters, prompt, on)).toBe(expected);
  });

  it.each([[{ nonCachedTokens: -1 }], [{ promptTokens: -1 }]])("refuses %j", (parameters) => {
    expect(() => pluginOf("prefix-based-pd-decider", parameters)).toThrow(">=0");
  });
});

it("always-disagg-pd-decider always does", () => {
  const { decider } = pluginOf("always-disagg-pd-decider");
  expect(decider?.disaggregate(cycleOf([cold]), cold)).toBe(true);
  expect(decider?.disaggregate(cycleOf([cold]), undefined)).toBe(true);
});

it.each([true, false])(
  "always-disagg-multimodal-decider does where a request has media: %s",
  (hasMedia) => {
    const { decider } = pluginOf("always-disagg-multimodal-decider");
    const cycle = cycleOf([cold], { hasMedia });
    expect(decider?.disaggregate(cycle, cold)).toBe(hasMedia);
    expect(decider?.disaggregate(cycle, undefined)).toBe(hasMedia);
  },
);
