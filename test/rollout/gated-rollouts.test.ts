import { expect, it } from "vitest";
import { rollOutAll } from "./outcomes.ts";

/**
 * Rollouts with a gate in virtual time: good and bad images, clients that poison requests, pickers that lie, restart or
 * cannot be read, and outages of the API server. Replicas, pickers and the API server are SIMULATED.
 */

it("in 100 rollouts no visibly bad image passes, and no good image is stopped", async () => {
  const { good, bad, ...outcomes } = await rollOutAll(1, 100);
  expect(outcomes).toMatchObject({ stopped: [], passed: [], unnamed: [], tookTooMany: [] });
  expect(Math.min(good, bad)).toBeGreaterThan(35);
  expect(outcomes.unseen).toBeLessThan(0.2 * bad);
});
