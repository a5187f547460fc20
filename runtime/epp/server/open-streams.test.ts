import { EventEmitter } from "node:events";
import { constants, type ServerHttp2Stream } from "node:http2";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { newStreamShares, OpenStreams } from "./open-streams.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A fake stream of node:http2, of a connection from an address. */
function http2Stream(remoteAddress = "10.0.0.1") {
  const fake = Object.assign(new EventEmitter(), {
    session: { socket: { remoteAddress } },
    refused: false,
    destroyed: false,
    close(code: number) {
      fake.refused = code === constants.NGHTTP2_REFUSED_STREAM;
    },
    destroy() {
      fake.destroyed = true;
    },
  });
  return fake as unknown as ServerHttp2Stream & { refused: boolean };
}

it("expires the streams that are still open, whichever have ended", () => {
  let now = 0;
  const streams = new OpenStreams(
    { shares: newStreamShares(6), maxStreamAgeMs: 500 },
    clockOf(() => now),
  );
  const expired: number[] = [];
  const closed: number[] = [];
  const opened = [0, 1, 2, 3].map((number) => {
    const stream = http2Stream();
    streams.enter(stream, () => ({
      stream: { waits: false, giveUpWaiting() {}, expire: () => expired.push(number) },
      onClose: () => closed.push(number),
    }));
    return stream;
  });
  for (const number of [1, 3]) opened[number]?.emit("close");
  expect(streams.count).toBe(2);
  now = 1_000;
  vi.advanceTimersByTime(1_000);
  expect(expired.sort()).toEqual([0, 2]);
  for (const number of [0, 2]) opened[number]?.emit("close");
  expect(streams.count).toBe(0);
  expect(closed).toEqual([1, 3, 0, 2]);
});

it("Q1: one address gets two thirds of the streams, and others get theirs", () => {
  const streams = new OpenStreams(
    { shares: newStreamShares(30) },
    clockOf(() => 0),
  );
  const opened = (address: string, count: number) =>
    Array.from({ length: count }, () => {
      const stream = http2Stream(address);
      streams.enter(stream, () => ({ stream: idle, onClose() {} }));
      return stream.refused;
    });
  expect(opened("10.0.0.1", 40).filter((refused) => !refused)).toHaveLength(20);
  expect(opened("10.0.0.2", 5)).toEqual([false, false, false, false, false]);
  expect(opened("10.0.0.1", 1)).toEqual([true]);
});

it("Q1: shares of several services are one, and a closed stream frees its share", () => {
  const shares = newStreamShares(3);
  const [one, other] = [0, 1].map(
    () =>
      new OpenStreams(
        { shares },
        clockOf(() => 0),
      ),
  ) as [OpenStreams, OpenStreams];
  const enter = (streams: OpenStreams) => {
    const stream = http2Stream("10.0.0.1");
    streams.enter(stream, () => ({ stream: idle, onClose() {} }));
    return stream;
  };
  const first = enter(one);
  expect(enter(other).refused).toBe(false);
  expect(enter(other).refused).toBe(true);
  first.emit("close");
  expect(enter(other).refused).toBe(false);
});

it("Q1: requests must be complete within 5 s while less than a quarter of the streams is free", () => {
  let now = 0;
  const streams = new OpenStreams(
    { shares: newStreamShares(5) },
    clockOf(() => now),
  );
  const given: string[] = [];
  const enter = (name: string, address: string, waits: boolean, mayBeQueued = false) => {
    const stream = http2Stream(address);
    const giveUpWaiting = (seconds: number) => given.push(`${name} ${seconds}`);
    streams.enter(stream, () => ({
      stream: { waits, mayBeQueued, giveUpWaiting, expire() {} },
      onClose() {},
    }));
    return stream;
  };
  const idleOne = enter("idle", "10.0.0.1", true);
  enter("answered", "10.0.0.2", false);
  enter("queued", "10.0.0.3", true, true);
  now = 6_000;
  vi.advanceTimersByTime(1_000);
  expect(given).toEqual([]);
  enter("new", "10.0.0.4", true);
  vi.advanceTimersByTime(1_000);
  expect(given).toEqual(["idle 5"]);
  now = 7_100;
  vi.advanceTimersByTime(1_000);
  expect(idleOne.destroyed).toBe(true);
});

it("a closed stream keeps no listener of its request, and a late error is handled", () => {
  const streams = new OpenStreams(
    {},
    clockOf(() => 0),
  );
  const stream = http2Stream();
  for (const event of ["data", "end", "wantTrailers", "error"]) stream.on(event, () => {});
  streams.enter(stream, () => ({ stream: idle, onClose() {} }));
  stream.emit("close");
  expect(stream.eventNames()).toEqual(["error"]);
  expect(stream.emit("error", new Error("late"))).toBe(true);
});

const idle = { waits: false, giveUpWaiting() {}, expire() {} };

const clockOf = (now: () => number) => ({ now, random: Math.random });
