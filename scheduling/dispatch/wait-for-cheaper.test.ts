import { afterEach, describe, expect, it } from "vitest";
import { endpoint } from "../cycles.fixture.ts";
import type { Endpoint } from "../endpoints/endpoint.ts";
import { WaitForCheaper } from "./wait-for-cheaper.ts";

const [a, b, c] = ["a", "b", "c"].map((pod) => endpoint(pod)) as [
  ReturnType<typeof endpoint>,
  ReturnType<typeof endpoint>,
  ReturnType<typeof endpoint>,
];
const all = [a, b, c];

/** Known times until servers have a free slot, in ms. */
let until: ReadonlyMap<Endpoint, number> = new Map();

afterEach(() => {
  until = new Map();
});

/** A request with the given costs of its prompt on each server, in tokens. */
const requestWith = (...costs: number[]) => {
  const elsewhere = new WaitForCheaper(() => costs);
  const waits = (
    all: readonly Endpoint[],
    free: readonly Endpoint[],
    now: number,
    msPerToken = 0.1,
  ) => elsewhere.shouldWait(all, free, { now, msPerToken, until });
  return { waits };
};

describe("WaitForCheaper", () => {
  it("waits for the server that has the prompt cached, up to twice the time to compute it", () => {
    const request = requestWith(100, 2_100, 2_100);
    expect(request.waits(all, [b, c], 1_000)).toBe(true);
    expect(request.waits(all, [c], 1_399)).toBe(true);
    expect(request.waits(all, [b, c], 1_400)).toBe(false);
  });

  it("stops waiting when a server with the prompt or a similar prefix has a free slot", () => {
    const request = requestWith(100, 150, 2_100);
    expect(request.waits(all, [c], 0)).toBe(true);
    expect(request.waits(all, [b, c], 1)).toBe(false);
    expect(request.waits(all, [a], 2)).toBe(false);
  });

  it("does not wait if little of the prompt is cached, or a free server has it cached too", () => {
    expect(requestWith(100, 300, 300).waits(all, [b, c], 0)).toBe(false);
    expect(requestWith(100, 2_100, 100).waits(all, [b, c], 0)).toBe(false);
    expect(requestWith(2_100, 2_100, 2_100).waits(all, [b], 0)).toBe(false);
  });

  it.each([
    [3_000, 1_333],
    [10_000, 400],
    [40_000, 100],
  ])("waits longer if the pool computes slowly: %i tokens per second", (speed, most) => {
    const request = requestWith(100, 2_100, 2_100);
    expect(request.waits(all, [b, c], 0, 1_000 / speed)).toBe(true);
    expect(request.waits(all, [b, c], most - 1, 1_000 / speed)).toBe(true);
    expect(request.waits(all, [b, c], most + 1, 1_000 / speed)).toBe(false);
  });

  it("updates the costs before it stops waiting, because another request may have cached the prompt elsewhere", () => {
    const uncached = [2_100, 2_100];
    const cached = new WaitForCheaper(() => uncached);
    const waits = (now: number) =>
      cached.shouldWait([a, b], [b], {
        now,
        msPerToken: 0.1,
        until: new Map(),
      });
    expect(waits(0)).toBe(false);
    uncached[0] = 100;
    expect(waits(50)).toBe(true);
    // The longest wait counts from the first call.
    expect(waits(399)).toBe(true);
    expect(waits(400)).toBe(false);
  });

  it("does not wait if the slot becomes free later than the prompt could be computed", () => {
    until = new Map([[a, 300]]);
    // Waiting saves 4,000 tokens of 0.1 ms each, but the slot becomes free only after the time of 3,000 tokens.
    expect(requestWith(100, 2_100, 2_100).waits(all, [b, c], 0)).toBe(false);
    until = new Map([[a, 250]]);
    const request = requestWith(100, 2_100, 2_100);
    expect(request.waits(all, [b, c], 0)).toBe(true);
    expect(request.waits(all, [b, c], 149)).toBe(true);
    expect(request.waits(all, [b, c], 150)).toBe(false);
  });

  it("waits for ten seconds at most", () => {
    const request = requestWith(0, 100_000, 100_000);
    expect(request.waits(all, [b], 0)).toBe(true);
    expect(request.waits(all, [b], 9_999)).toBe(true);
    expect(request.waits(all, [b], 10_000)).toBe(false);
  });

  it("waits longer if the free server has more prompts to compute first", () => {
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

  it("waits for a full server instead of queueing behind a document", () => {
    const [full, first, second] = busyWith(0, 30_000, 23_192) as [Endpoint, Endpoint, Endpoint];
    const request = requestWith(100, 100, 100);
    expect(request.waits([full, first, second], [first, second], 0)).toBe(true);
    expect(request.waits([full, first, second], [first, second], 1_909)).toBe(true);
    expect(request.waits([full, first, second], [first, second], 1_910)).toBe(false);
  });

  it("stops waiting when the document on the free server is computed", () => {
    const [full, free] = busyWith(0, 20_000) as [Endpoint, Endpoint];
    const request = requestWith(100, 100);
    expect(request.waits([full, free], [free], 0)).toBe(true);
    free.live.runningTokens = 500;
    expect(request.waits([full, free], [free], 100)).toBe(false);
  });

  it("does not wait if all servers have about as many tokens to compute, or few", () => {
    const [a1, b1] = busyWith(20_000, 20_500) as [Endpoint, Endpoint];
    expect(requestWith(100, 100).waits([a1, b1], [b1], 0)).toBe(false);
    const [a2, b2] = busyWith(0, 4_096) as [Endpoint, Endpoint];
    expect(requestWith(100, 100).waits([a2, b2], [b2], 0)).toBe(false);
  });
});
