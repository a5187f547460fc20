import { describe, expect, it } from "vitest";
import type { EngineCard } from "../cards/engine-card.ts";
import { cardTimes, constantTimes, type StepWork } from "./step-times.ts";

const card: EngineCard = {
  ...{ model: "m", accelerator: "a", engine: "vllm", version: "1", division: { devices: 1 } },
  ...{ weights: "bfloat16", cache: "bfloat16", source: "a test" },
  prompt: { tokens: [100, 400, 1_600], ms: [10, 20, 80] },
  step: {
    batches: [1, 9],
    contexts: [1_000, 3_000],
    ms: [
      [5, 7],
      [13, 31],
    ],
  },
};

const none: StepWork = { decoding: 0, contextTokens: 0, prompts: [] };

describe("a step of a card takes", () => {
  it.each<[string, Partial<StepWork>, number]>([
    ["the time of a whole prompt", { prompts: [[0, 400]] }, 20],
    ["the time by which a part makes a prompt longer", { prompts: [[400, 1_600]] }, 10 + 60],
    [
      "the weights once for two prompts",
      {
        prompts: [
          [0, 400],
          [0, 400],
        ],
      },
      30,
    ],
    ["the weights alone for a short prompt", { prompts: [[0, 50]] }, 10],
    ["the time of the decoding sequences", { decoding: 9, contextTokens: 9_000 }, 13],
    ["the time for their mean context", { decoding: 9, contextTokens: 18_000 }, 22],
    [
      "decoding, and a prompt without the weights",
      { decoding: 9, contextTokens: 9_000, prompts: [[0, 400]] },
      13 + 10,
    ],
  ])("%s", (_, work, ms) => {
    expect(cardTimes(card)({ ...none, ...work })).toBeCloseTo(ms, 9);
  });
});

it("constant times count every sequence and every prompt token", () => {
  const times = constantTimes({ stepMs: 4, stepMsPerSequence: 0.5, prefillTokensPerSecond: 8_000 });
  const work: StepWork = { decoding: 2, contextTokens: 1_000, prompts: [[16, 96]] };
  expect(times(work)).toBe(4 + 3 * 0.5 + 10);
});
