import { expect, it } from "vitest";
import { rollOutAll } from "./outcomes.ts";

/** Thousands of rollouts with seeds of the day: the same as gated-rollouts.test.ts. */
it("in 5,000 rollouts no visibly bad image passes, and at most 1 % of the good images are stopped", async () => {
  const day = Math.floor(Date.now() / 86_400_000);
  const { good, stopped, ...outcomes } = await rollOutAll(day * 5_000, 5_000);
  expect(outcomes).toMatchObject({ passed: [], unnamed: [], tookTooMany: [] });
  expect(stopped.slice(0, Math.floor(good / 100))).toEqual(stopped);
}, 1_800_000);
