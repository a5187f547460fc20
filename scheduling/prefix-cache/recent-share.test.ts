import { expect, it } from "vitest";
import { RecentShare } from "./recent-share.ts";

it("RecentShare has its first value until an amount is recorded", () => {
  const share = new RecentShare(1, 100);
  share.saw(0, 0);
  expect(share.value).toBe(1);
});

it("RecentShare follows recent amounts, and larger amounts count more", () => {
  const share = new RecentShare(1, 100);
  share.saw(100, 0);
  expect(share.value).toBeCloseTo(Math.exp(-1));
  share.saw(10_000, 2_500);
  expect(share.value).toBeCloseTo(0.25);
});
