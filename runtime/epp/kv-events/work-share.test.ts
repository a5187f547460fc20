import fc from "fast-check";
import { expect, it } from "vitest";
import { WorkShare } from "./work-share.ts";

const options = { share: 0.25, burstMs: 20, longestRestMs: 1_000 };

it("WorkShare requires a rest after much work, but not after a little", () => {
  const work = new WorkShare(options);
  expect(work.restAfter(20, 100)).toBe(0);
  expect(work.restAfter(10, 110)).toBe(120);
  expect(work.restAfter(5, 1_000)).toBe(0);
  // The process was suspended for 60 seconds.
  expect(work.restAfter(60_000, 70_000)).toBe(1_000);
  expect(work.restAfter(1, 71_001)).toBe(0);
});

it("WorkShare limits work to its share of the time, for any sequence of work and idle time", () => {
  const steps = fc.array(fc.tuple(fc.nat({ max: 100 }), fc.nat({ max: 200 })), { minLength: 1 });
  fc.assert(
    fc.property(steps, (all) => {
      const work = new WorkShare(options);
      let now = 0;
      let worked = 0;
      for (const [workMs, idleMs] of all) {
        now += workMs;
        worked += workMs;
        now += work.restAfter(workMs, now) + idleMs;
      }
      expect(worked).toBeLessThanOrEqual(options.share * now + options.burstMs + 1e-6);
    }),
  );
});
