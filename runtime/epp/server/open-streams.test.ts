import { EventEmitter } from "node:events";
import type { ServerHttp2Stream } from "node:http2";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { OpenStreams } from "./open-streams.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A fake stream of node:http2: the limits need only its events. */
const http2Stream = () => new EventEmitter() as ServerHttp2Stream;

it("expires the streams that are still open, whichever have ended", () => {
  let now = 0;
  const streams = new OpenStreams(
    { maxOpenStreams: 4, maxStreamAgeMs: 500 },
    clockOf(() => now),
  );
  const expired: number[] = [];
  const closed: number[] = [];
  const opened = [0, 1, 2, 3].map((number) => {
    const stream = http2Stream();
    const limited = { waits: false, giveUpWaiting() {}, expire: () => expired.push(number) };
    streams.add(stream, limited, () => closed.push(number));
    return stream;
  });
  expect(streams.hasCapacity).toBe(false);
  for (const number of [1, 3]) opened[number]?.emit("close");
  expect(streams.count).toBe(2);
  expect(streams.hasCapacity).toBe(true);
  now = 1_000;
  vi.advanceTimersByTime(1_000);
  expect(expired.sort()).toEqual([0, 2]);
  for (const number of [0, 2]) opened[number]?.emit("close");
  expect(streams.count).toBe(0);
  expect(closed).toEqual([1, 3, 0, 2]);
});

it("a closed stream keeps no listener of its request, and a late error is handled", () => {
  const streams = new OpenStreams(
    {},
    clockOf(() => 0),
  );
  const stream = http2Stream();
  for (const event of ["data", "end", "wantTrailers", "error"]) stream.on(event, () => {});
  streams.add(stream, { waits: false, giveUpWaiting() {}, expire() {} }, () => {});
  stream.emit("close");
  expect(stream.eventNames()).toEqual(["error"]);
  expect(stream.emit("error", new Error("late"))).toBe(true);
});

const clockOf = (now: () => number) => ({ now, random: Math.random });
