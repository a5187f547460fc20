import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EngineCard, promptMs, stepMs } from "./engine-card.ts";

const card: EngineCard = {
  model: "m",
  accelerator: "h100-sxm",
  engine: "vllm",
  version: "0.33.0",
  division: { devices: 2 },
  weights: "bfloat16",
  cache: "bfloat16",
  source: "a test",
  prompt: { tokens: [100, 400, 1_600], ms: [10, 20, 80] },
  step: {
    batches: [1, 9, 17],
    contexts: [1_000, 3_000],
    ms: [
      [5, 7],
      [13, 31],
      [21, 55],
    ],
  },
};

describe("the time of a prompt", () => {
  it.each([
    [0, 0],
    [1, 10],
    [100, 10],
    [200, Math.sqrt(200)],
    [400, 20],
    [800, 40],
    [1_600, 80],
    [3_200, 160],
  ])("of %i tokens is %d ms", (tokens, ms) => {
    expect(promptMs(card, tokens)).toBeCloseTo(ms, 9);
  });
});

describe("the time of a step", () => {
  it.each([
    [1, 1_000, 5],
    [1, 0, 5],
    [1, 2_000, 6],
    [9, 2_000, 22],
    [5, 2_000, 14],
    [13, 1_000, 17],
    [25, 1_000, 29],
    [17, 5_000, 89],
  ])("of %i sequences with %i tokens is %d ms", (batch, context, ms) => {
    expect(stepMs(card, batch, context)).toBeCloseTo(ms, 9);
  });
});

it("both times are positive and finite for any number of tokens and sequences", () => {
  const size = fc.double({ min: 0, max: 1e7, noNaN: true });
  fc.assert(
    fc.property(size, size, (one, other) => {
      expect(promptMs(card, Math.max(1, one))).toBeGreaterThan(0);
      expect(promptMs(card, one)).toBeLessThan(Number.POSITIVE_INFINITY);
      expect(stepMs(card, one, other)).toBeGreaterThan(0);
      expect(stepMs(card, one, other)).toBeLessThan(Number.POSITIVE_INFINITY);
    }),
  );
});

describe("a card is refused", () => {
  const { prompt, step } = card;
  it.each<[string, object]>([
    ["with a negative time", { prompt: { ...prompt, ms: [10, -20, 80] } }],
    ["with a time of zero", { prompt: { ...prompt, ms: [0, 20, 80] } }],
    ["with an infinite time", { prompt: { ...prompt, ms: [10, 20, Number.POSITIVE_INFINITY] } }],
    ["with a time that is no number", { prompt: { ...prompt, ms: [10, Number.NaN, 80] } }],
    ["with a time of two hours", { prompt: { ...prompt, ms: [10, 20, 7_200_000] } }],
    ["with a time too few", { prompt: { ...prompt, ms: [10, 20] } }],
    ["with tokens that do not increase", { prompt: { tokens: [100, 100, 200], ms: [1, 2, 3] } }],
    ["with one point", { prompt: { tokens: [100], ms: [1] } }],
    ["with a thousand points", { prompt: { tokens: steps(1_000), ms: steps(1_000) } }],
    ["with a row too few", { step: { ...step, ms: step.ms.slice(1) } }],
    ["with a short row", { step: { ...step, ms: [[5, 7], [13], [21, 55]] } }],
    ["with half a device", { division: { devices: 0.5 } }],
    ["with a field that is not known", { tokens: 1 }],
  ])("%s", (_, change) => {
    expect(EngineCard.safeParse(card).success).toBe(true);
    expect(EngineCard.safeParse({ ...card, ...change }).success).toBe(false);
  });
});

function steps(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at + 1);
}
