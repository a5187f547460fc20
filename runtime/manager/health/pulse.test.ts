import { expect, it } from "vitest";
import { longestStallMs, Pulse } from "./pulse.ts";

let now = 5_000_000_000n;
const later = (milliseconds: number) => {
  now += BigInt(milliseconds) * 1_000_000n;
};

it("is alive and as ready as it said for as long as a loop may stand still", () => {
  const writer = new Pulse(undefined, () => now);
  const reader = new Pulse(writer.memory, () => now);
  writer.beat(false);
  expect(reader.read()).toEqual({ alive: true, ready: false });
  writer.beat(true);
  expect(reader.read()).toEqual({ alive: true, ready: true });
  later(longestStallMs - 1);
  expect(reader.read()).toEqual({ alive: true, ready: true });
  later(1);
  expect(reader.read()).toEqual({ alive: false, ready: false });
  writer.beat(true);
  expect(reader.read()).toEqual({ alive: true, ready: true });
});
