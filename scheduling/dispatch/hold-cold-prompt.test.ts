import { expect, it } from "vitest";
import { HoldColdPrompt } from "./hold-cold-prompt.ts";

it("holds a prompt while it would evict prefixes that are used again, and not longer than its time to live allows", () => {
  let evicts = true;
  let checks = 0;
  const hold = new HoldColdPrompt(
    () => {
      checks += 1;
      return evicts;
    },
    1_000,
    30_000,
  );
  expect(hold.isHeld([], 1_000)).toBe(true);
  // The result is used again for 200 ms.
  expect(hold.isHeld([], 1_199)).toBe(true);
  expect(checks).toBe(1);
  evicts = false;
  expect(hold.isHeld([], 1_200)).toBe(false);
  evicts = true;
  expect(hold.isHeld([], 23_499)).toBe(true);
  expect(hold.isHeld([], 23_700)).toBe(false);
});
