import { afterEach, describe, expect, it } from "vitest";
import { endpoint } from "../cycles.fixture.ts";
import type { Endpoint } from "../endpoint.ts";
import { WaitForCheaper } from "./wait-for-cheaper.ts";

const [a, b, c] = ["a", "b", "c"].map((pod) => endpoint(pod)) as [
  ReturnType<typeof endpoint>,
  ReturnType<typeof endpoint>,
  ReturnType<typeof endpoint>,
];
const all = [a, b, c];

/** When servers have a place of which it is known. */
let until: ReadonlyMap<Endpoint, number> = new Map();

afterEach(() => {
  until = new Map();
});

/** A request whose prompt costs so many tokens on each server, which is asked when nobody else wants a place. */
const requestWith = (...costs: number[]) => {
  const elsewhere = new WaitForCheaper(() => costs);
  const waits =
    (isContested: boolean) =>
    (all: readonly Endpoint[], free: readonly Endpoint[], now: number, msPerToken = 0.1) =>
      elsewhere.shouldWait(all, free, { now, msPerToken, isContested, until });
  return { waits: waits(false), waitsContested: waits(true) };
};

describe("a request that costs less on a full server", () => {
  it("a request waits for the server that has its prompt, twice as long as computing it would take", () => {
    const request = requestWith(100, 2_100, 2_100);
    expect(request.waits(all, [b, c], 1_000)).toBe(true);
    expect(request.waits(all, [c], 1_399)).toBe(true);
    expect(request.waits(all, [b, c], 1_400)).toBe(false);
  });

  it("a request goes when the server that has its prompt has room, or another that has as much of it", () => {
    const request = requestWith(100, 150, 2_100);
    expect(request.waits(all, [c], 0)).toBe(true);
    expect(request.waits(all, [b, c], 1)).toBe(false);
    expect(request.waits(all, [a], 2)).toBe(false);
  });

  it("a request waits for no server where little of its prompt is cached, or as much of it elsewhere", () => {
    expect(requestWith(100, 300, 300).waits(all, [b, c], 0)).toBe(false);
    expect(requestWith(100, 2_100, 100).waits(all, [b, c], 0)).toBe(false);
    expect(requestWith(2_100, 2_100, 2_100).waits(all, [b], 0)).toBe(false);
  });

  it.each([
    [3_000, 1_333],
    [10_000, 400],
    [40_000, 100],
  ])("a request waits longer where a pool computes slowly: %i tokens a second", (speed, most) => {
    const request = requestWith(100, 2_100, 2_100);
    expect(request.waits(all, [b, c], 0, 1_000 / speed)).toBe(true);
    expect(request.waits(all, [b, c], most - 1, 1_000 / speed)).toBe(true);
    expect(request.waits(all, [b, c], most + 1, 1_000 / speed)).toBe(false);
  });

  it("a request looks again before it goes: its prompt may be cached meanwhile where others went", () => {
    const uncached = [2_100, 2_100];
    const cached = new WaitForCheaper(() => uncached);
    const waits = (now: number) =>
      cached.shouldWait([a, b], [b], {
        now,
        msPerToken: 0.1,
        isContested: false,
        until: new Map(),
      });
    expect(waits(0)).toBe(false);
    uncached[0] = 100;
    expect(waits(50)).toBe(true);
    // For as long as from the first time on.
    expect(waits(399)).toBe(true);
    expect(waits(400)).toBe(false);
  });

  it("a request leaves its place to others for ten seconds, if they want it", () => {
    const request = requestWith(100, 2_100, 2_100);
    expect(request.waitsContested(all, [b, c], 0)).toBe(true);
    expect(request.waitsContested(all, [b, c], 9_999)).toBe(true);
    expect(request.waits(all, [b, c], 9_999)).toBe(false);
    expect(request.waitsContested(all, [b, c], 10_000)).toBe(false);
    expect(requestWith(100, 300, 300).waitsContested(all, [b, c], 0)).toBe(false);
  });

  it("a request goes at once where a place at the server that has its prompt comes later than it would be computed", () => {
    until = new Map([[a, 300]]);
    // What it saves is 4,000 tokens, a tenth of a millisecond each; the place takes as long as 3,000 of them.
    expect(requestWith(100, 2_100, 2_100).waits(all, [b, c], 0)).toBe(false);
    until = new Map([[a, 250]]);
    const request = requestWith(100, 2_100, 2_100);
    expect(request.waits(all, [b, c], 0)).toBe(true);
    expect(request.waits(all, [b, c], 149)).toBe(true);
    expect(request.waits(all, [b, c], 150)).toBe(false);
  });

  it("a request waits for five seconds at most", () => {
    const request = requestWith(0, 100_000, 100_000);
    expect(request.waits(all, [b], 0)).toBe(true);
    expect(request.waits(all, [b], 4_999)).toBe(true);
    expect(request.waits(all, [b], 5_000)).toBe(false);
  });

  it("a request waits longer where others that lost their caches have come before it", () => {
    const crowd = (tokens: number) =>
      ["full", "free"].map((pod, at) => endpoint(pod, { live: { runningTokens: at * tokens } }));
    const after = (tokens: number) => {
      const request = requestWith(100, 2_100);
      const [full, free] = crowd(tokens) as [Endpoint, Endpoint];
      request.waits([full, free], [free], 0);
      const waits = (now: number) => request.waits([full, free], [free], now);
      return Array.from({ length: 60 }, (_, at) => 100 * at).find((now) => !waits(now));
    };
    expect([0, 4_096, 6_096, 8_192].map(after)).toEqual([400, 400, 600, 900]);
  });

  const busyWith = (...tokens: number[]) =>
    tokens.map((runningTokens, at) => endpoint(`pod-${at}`, { live: { runningTokens } }));

  it("a request waits for a full server rather than behind a document", () => {
    const [full, first, second] = busyWith(0, 30_000, 23_192) as [Endpoint, Endpoint, Endpoint];
    const request = requestWith(100, 100, 100);
    expect(request.waits([full, first, second], [first, second], 0)).toBe(true);
    expect(request.waits([full, first, second], [first, second], 1_909)).toBe(true);
    expect(request.waits([full, first, second], [first, second], 1_910)).toBe(false);
  });

  it("a request goes as soon as a document is computed where there is room", () => {
    const [full, free] = busyWith(0, 20_000) as [Endpoint, Endpoint];
    const request = requestWith(100, 100);
    expect(request.waits([full, free], [free], 0)).toBe(true);
    free.live.runningTokens = 500;
    expect(request.waits([full, free], [free], 100)).toBe(false);
  });

  it("a request waits for no server where as much is to be computed everywhere, or little", () => {
    const [a1, b1] = busyWith(20_000, 20_500) as [Endpoint, Endpoint];
    expect(requestWith(100, 100).waits([a1, b1], [b1], 0)).toBe(false);
    const [a2, b2] = busyWith(0, 4_096) as [Endpoint, Endpoint];
    expect(requestWith(100, 100).waits([a2, b2], [b2], 0)).toBe(false);
  });
});
