import { describe, expect, it } from "vitest";
import { endpoint } from "../cycles.fixture.ts";
import { CachedElsewhere } from "./cached-elsewhere.ts";

const [a, b, c] = ["a", "b", "c"].map((pod) => endpoint(pod)) as [
  ReturnType<typeof endpoint>,
  ReturnType<typeof endpoint>,
  ReturnType<typeof endpoint>,
];
const all = [a, b, c];

const requestWith = (...uncached: number[]) => new CachedElsewhere(() => uncached);

describe("a request whose prompt is cached on a full server", () => {
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
});
