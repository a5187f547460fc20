import { describe, expect, it } from "vitest";
import { endpoint } from "../cycles.fixture.ts";
import type { Endpoint } from "../endpoint.ts";
import { CheaperElsewhere } from "./cheaper-elsewhere.ts";

const [a, b, c] = ["a", "b", "c"].map((pod) => endpoint(pod)) as [
  ReturnType<typeof endpoint>,
  ReturnType<typeof endpoint>,
  ReturnType<typeof endpoint>,
];
const all = [a, b, c];

const requestWith = (...uncached: number[]) => new CheaperElsewhere(() => uncached);

describe("a request that costs less on a full server", () => {
  it("a request waits for the server that has its prompt, as long as computing it twice would take", () => {
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

  it("a request waits for two seconds at most", () => {
    const request = requestWith(0, 100_000, 100_000);
    expect(request.waits(all, [b], 0)).toBe(true);
    expect(request.waits(all, [b], 1_999)).toBe(true);
    expect(request.waits(all, [b], 2_000)).toBe(false);
  });

  const busyWith = (...tokens: number[]) =>
    tokens.map((runningTokens, at) => endpoint(`pod-${at}`, { live: { runningTokens } }));

  it("a request waits for a full server rather than behind a document", () => {
    const [full, first, second] = busyWith(0, 30_000, 23_192) as [Endpoint, Endpoint, Endpoint];
    const request = requestWith(100, 100, 100);
    expect(request.waits([full, first, second], [first, second], 0)).toBe(true);
    expect(request.waits([full, first, second], [first, second], 1_499)).toBe(true);
    expect(request.waits([full, first, second], [first, second], 1_500)).toBe(false);
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
    const [a2, b2] = busyWith(0, 8_192) as [Endpoint, Endpoint];
    expect(requestWith(100, 100).waits([a2, b2], [b2], 0)).toBe(false);
  });
});
