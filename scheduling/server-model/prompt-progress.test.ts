import { beforeEach, expect, it } from "vitest";
import { metrics } from "../cycles.fixture.ts";
import { type LiveState, newLiveState } from "../endpoints/endpoint.ts";
import { PromptProgress } from "./prompt-progress.ts";

const msPerToken = 0.1;

let progress: PromptProgress;
let live: LiveState;

beforeEach(() => {
  progress = new PromptProgress();
  live = newLiveState();
});

const read = (at: number) => {
  live.metrics = metrics({ at });
  progress.read(live, msPerToken);
  return live.computedTokens;
};

it("PromptProgress counts the computed tokens of the first prompt from the reading that found it", () => {
  live.prompts.add({ promptTokens: 20_000 });
  live.prompts.add({ promptTokens: 100 });
  expect(read(1_000)).toBe(0);
  expect(read(1_050)).toBeCloseTo(500);
  expect(read(1_100)).toBeCloseTo(1_000);
});

it("PromptProgress counts fewer tokens for a slower server", () => {
  live.prompts.add({ promptTokens: 20_000 });
  live.slowness = 4;
  read(1_000);
  expect(read(1_100)).toBeCloseTo(250);
});

it("PromptProgress leaves a quarter of a prompt, however long it takes", () => {
  live.prompts.add({ promptTokens: 1_000 });
  read(1_000);
  expect(read(60_000)).toBe(750);
});

it("PromptProgress starts again with the next first prompt, and is 0 without prompts", () => {
  const first = { promptTokens: 1_000 };
  live.prompts.add(first).add({ promptTokens: 5_000 });
  read(1_000);
  read(1_050);
  live.prompts.delete(first);
  expect(read(1_100)).toBe(0);
  expect(read(1_150)).toBeCloseTo(500);
  live.prompts.clear();
  expect(read(1_200)).toBe(0);
});
