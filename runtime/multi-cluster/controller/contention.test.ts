import { expect, it } from "vitest";
import { ContentionGuard } from "./contention.ts";

const minute = 60_000;

/** A guard with a clock that the test moves. */
function guardAt(start = 0) {
  const clock = { now: start };
  return { clock, guard: new ContentionGuard(() => clock.now) };
}

it("an entry that is removed three times within a minute is delayed, longer each time", () => {
  const { clock, guard } = guardAt();
  expect(guard.added("pool")).toBe(false);
  for (const isContended of [false, false, true]) {
    clock.now += 1_000;
    expect(guard.wait("pool")).toBe(0);
    expect(guard.added("pool")).toBe(isContended);
  }
  for (const wait of [30_000, 60_000, 120_000, 240_000, 480_000, 600_000, 600_000]) {
    expect(guard.wait("pool")).toBe(wait);
    clock.now += wait - 1;
    expect(guard.wait("pool")).toBe(1);
    clock.now += 1;
    expect(guard.wait("pool")).toBe(0);
    expect(guard.added("pool")).toBe(true);
  }
});

it("an entry that is removed only now and then is written back immediately", () => {
  const { clock, guard } = guardAt();
  guard.added("pool");
  for (let time = 0; time < 20; time += 1) {
    clock.now += minute / 2;
    expect(guard.added("pool")).toBe(false);
    expect(guard.wait("pool")).toBe(0);
  }
});

it("contention for one entry does not delay another one, and ends when this controller removes the entry", () => {
  const { guard } = guardAt();
  for (let time = 0; time < 4; time += 1) guard.added("pool");
  expect(guard.wait("pool")).toBeGreaterThan(0);
  expect(guard.wait("other")).toBe(0);
  guard.removed("pool");
  expect(guard.wait("pool")).toBe(0);
  expect(guard.added("pool")).toBe(false);
});

it("contention that ended ten minutes ago is forgotten", () => {
  const { clock, guard } = guardAt();
  for (let time = 0; time < 4; time += 1) guard.added("pool");
  clock.now += guard.wait("pool") + 10 * minute;
  expect(guard.added("pool")).toBe(false);
});
