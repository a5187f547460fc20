import { expect, it } from "vitest";
import { Ended } from "./ended.ts";

it("does not say when there is a place at a server where nothing has ended", () => {
  const ended = new Ended();
  ended.read(0, 50);
  expect(ended.msUntilNext(100)).toBe(0);
});

it("says when there is a place by how often requests end, however seldom it is read", () => {
  const ended = new Ended();
  for (let now = 0; now <= 60_000; now += 500) ended.read(Math.floor(now / 250), now);
  expect(ended.msUntilNext(60_000) / 250).toBeCloseTo(1, 1);
});

it("expects a place later at a server where nothing ends any more", () => {
  const ended = new Ended();
  for (let now = 0; now <= 20_000; now += 250) ended.read(now / 250, now);
  const before = ended.msUntilNext(20_000);
  expect(ended.msUntilNext(30_000)).toBeGreaterThan(2 * before);
});

it("expects a place in ten seconds at the latest, however long nothing has ended", () => {
  const ended = new Ended();
  ended.read(1, 0);
  for (const hours of [0.1, 2, 10]) expect(ended.msUntilNext(hours * 3_600_000)).toBe(10_000);
});
