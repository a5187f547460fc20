import { expect, it } from "vitest";
import { rollOutAll } from "./outcomes.ts";

/** The same as gated-rollouts.test.ts, with other seeds. */
it("in 1,000 rollouts no visibly bad image passes, and at most 1 % of the good images are stopped", async () => {
  const { good, bad, stopped, ...outcomes } = await rollOutAll(1_001, 1_000);
  expect(outcomes).toMatchObject({ passed: [], unnamed: [], tookTooMany: [] });
  expect(outcomes.unseen).toBeLessThan(0.15 * bad);
  expect(stopped.slice(0, Math.floor(good / 100))).toEqual(stopped);
}, 300_000);
