import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FirstTokenDelays } from "./first-token-delays.ts";

const msPerToken = 0.1;

interface Told {
  readonly server: string;
  readonly delayMs: number;
  readonly tokens?: number;
  readonly answers?: number;
  /** Milliseconds between answers. */
  readonly every?: number;
}

/** Servers that answer one after another, at the end of which they are compared. */
function seen(...told: readonly Told[]) {
  const delays = new FirstTokenDelays<string>();
  let last = 0;
  for (const { server, delayMs, tokens = 100, answers = 64, every = 100 } of told)
    for (let count = 1; count <= answers; count += 1) {
      delays.began(server, { at: count * every, delayMs, tokens });
      last = Math.max(last, count * every);
    }
  const slowness = (now = last) =>
    Object.fromEntries(
      told.map(({ server }) => [server, delays.slownessOf(server, now, msPerToken)]),
    );
  return { delays, slowness, last };
}

describe("how long servers take for a first token", () => {
  it("finds the server that takes four times as long as the others", () => {
    const { a, ...others } = seen(
      { server: "a", delayMs: 120 },
      ...["b", "c", "d"].map((server) => ({ server, delayMs: 30 })),
    ).slowness();
    expect(a).toBeCloseTo(4);
    expect(others).toEqual({ b: 1, c: 1, d: 1 });
  });

  it("takes servers for alike that differ by less than half, and one alone for as fast as any", () => {
    expect(seen({ server: "a", delayMs: 44 }, { server: "b", delayMs: 30 }).slowness()).toEqual({
      a: 1,
      b: 1,
    });
    expect(seen({ server: "a", delayMs: 400 }).slowness()).toEqual({ a: 1 });
  });

  it("takes no server for slow whose prompts are longer", () => {
    expect(
      seen(
        { server: "long", delayMs: 70, tokens: 500 },
        { server: "short", delayMs: 22, tokens: 20 },
      ).slowness(),
    ).toEqual({ long: 1, short: 1 });
  });

  it("believes fifteen answers as little as none, and sixteen", () => {
    const slowness = (answers: number) =>
      seen({ server: "a", delayMs: 120, answers }, { server: "b", delayMs: 30 }).slowness().a;
    expect(slowness(15)).toBe(1);
    expect(slowness(16)).toBeCloseTo(4);
  });

  it("does not mind long delays among the others, as of a prefix that was gone", () => {
    const { delays, last } = seen({ server: "a", delayMs: 30 }, { server: "b", delayMs: 30 });
    for (let count = 0; count < 30; count += 1)
      delays.began("a", { at: last + count, delayMs: 5_000, tokens: 100 });
    expect(delays.slownessOf("a", last + 100, msPerToken)).toBe(1);
  });

  it("follows a server that is slow no more", () => {
    const { delays, last } = seen({ server: "a", delayMs: 120 }, { server: "b", delayMs: 30 });
    for (let count = 0; count < 64; count += 1)
      delays.began("a", { at: last + count, delayMs: 30, tokens: 100 });
    expect(delays.slownessOf("a", last + 1_000, msPerToken)).toBe(1);
  });

  it("forgets what is older than a minute: a server that nobody asks shows anew what it does", () => {
    const { slowness, last } = seen({ server: "a", delayMs: 120 }, { server: "b", delayMs: 30 });
    expect(slowness(last + 59_000).a).toBeCloseTo(4);
    expect(slowness(last + 61_000)).toEqual({ a: 1, b: 1 });
  });

  it("forgets servers that are gone", () => {
    const { delays, slowness, last } = seen(
      { server: "a", delayMs: 120 },
      { server: "b", delayMs: 30 },
    );
    delays.retain(new Set(["a"]));
    expect(slowness(last + 1_000)).toEqual({ a: 1, b: 1 });
  });

  it("tells of no server that it is slower than the slowest is beside the fastest, and never all of them", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 10_000 }), { minLength: 1, maxLength: 8 }),
        (delays) => {
          const told = delays.map((delayMs, at) => ({ server: `s${at}`, delayMs }));
          const slowness = Object.values(seen(...told).slowness());
          expect(Math.min(...slowness)).toBe(1);
          expect(Math.max(...slowness)).toBeLessThanOrEqual(
            (Math.max(...delays) / Math.min(...delays)) * 1.001,
          );
        },
      ),
    );
  });
});
