import { expect, it } from "vitest";
import { longestStallMs, Pulse } from "./pulse.ts";

let now = 5_000_000_000n;
const later = (milliseconds: number) => {
  now += BigInt(milliseconds) * 1_000_000n;
};

it("a program stays alive and ready until its event loop was blocked for the longest allowed time", () => {
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
