import { expect, it } from "vitest";
import { RecentShare } from "./recent-share.ts";

it("is what it was taken for until something was seen", () => {
  const share = new RecentShare(1, 100);
  share.saw(0, 0);
  expect(share.value).toBe(1);
});

it("is what was seen lately, the more of it the surer", () => {
  const share = new RecentShare(1, 100);
  share.saw(100, 0);
  expect(share.value).toBeCloseTo(Math.exp(-1));
  share.saw(10_000, 2_500);
  expect(share.value).toBeCloseTo(0.25);
});
