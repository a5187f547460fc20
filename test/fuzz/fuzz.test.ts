import { expect, it } from "vitest";
import { fuzz } from "./run.ts";
import { targets } from "./targets.ts";

/** A moment of `npm run tool test/fuzz`, with the same cases each time. */
it.each(targets)("$name", async (target) => {
  const options = { seed: 12, time: 2_000, most: 300, longest: 1_000 };
  const { cases, failure } = await fuzz(target, options);
  expect(failure).toBeUndefined();
  expect(cases).toBeGreaterThan(0);
});

it("a failure is reported with the seed that reproduces it", async () => {
  const [{ cases }] = targets as [(typeof targets)[0]];
  const failing = {
    name: "one that fails",
    longest: 0,
    examples: [],
    cases,
    run: () => {
      throw new Error("wrong");
    },
  };
  const { failure } = await fuzz(failing, { seed: 7, time: 2_000, most: 10, longest: 1_000 });
  expect(failure).toContain("seed: 7");
});
