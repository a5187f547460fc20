import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FirstTokenDelays } from "./first-token-delays.ts";

const msPerToken = 0.1;

interface Told {
  readonly server: string;
  readonly delayMs: number;
  readonly tokens?: number;
  readonly answers?: number;
  /** Time between two responses, in ms. */
  readonly every?: number;
}

/** Records the responses of each server, and returns a function that compares the servers. */
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

describe("FirstTokenDelays", () => {
  it("finds the server that takes four times as long as the others", () => {
    const { a, ...others } = seen(
      { server: "a", delayMs: 120 },
      ...["b", "c", "d"].map((server) => ({ server, delayMs: 30 })),
    ).slowness();
    expect(a).toBeCloseTo(4);
    expect(others).toEqual({ b: 1, c: 1, d: 1 });
  });

  it("reports a slowness of 1 for servers that differ by less than a quarter, and for a lone server", () => {
    expect(seen({ server: "a", delayMs: 37 }, { server: "b", delayMs: 30 }).slowness()).toEqual({
      a: 1,
      b: 1,
    });
    expect(seen({ server: "a", delayMs: 400 }).slowness()).toEqual({ a: 1 });
  });

  it("reports a slowness of 1 for a server that is slower because its prompts are longer", () => {
    expect(
      seen(
        { server: "long", delayMs: 70, tokens: 500 },
        { server: "short", delayMs: 22, tokens: 20 },
      ).slowness(),
    ).toEqual({ long: 1, short: 1 });
  });

  it("ignores fifteen responses of a server, and uses sixteen", () => {
    const slowness = (answers: number) =>
      seen({ server: "a", delayMs: 120, answers }, { server: "b", delayMs: 30 }).slowness().a;
    expect(slowness(15)).toBe(1);
    expect(slowness(16)).toBeCloseTo(4);
  });

  it("ignores a minority of long delays, such as after a lost prefix", () => {
    const { delays, last } = seen({ server: "a", delayMs: 30 }, { server: "b", delayMs: 30 });
    for (let count = 0; count < 30; count += 1)
      delays.began("a", { at: last + count, delayMs: 5_000, tokens: 100 });
    expect(delays.slownessOf("a", last + 100, msPerToken)).toBe(1);
  });

  it("follows a server that has recovered", () => {
    const { delays, last } = seen({ server: "a", delayMs: 120 }, { server: "b", delayMs: 30 });
    for (let count = 0; count < 64; count += 1)
      delays.began("a", { at: last + count, delayMs: 30, tokens: 100 });
    expect(delays.slownessOf("a", last + 1_000, msPerToken)).toBe(1);
  });

  it("forgets servers that have left", () => {
    const { delays, slowness, last } = seen(
      { server: "a", delayMs: 120 },
      { server: "b", delayMs: 30 },
    );
    delays.retain(new Set(["a"]));
    expect(slowness(last + 1_000)).toEqual({ a: 1, b: 1 });
  });

  it("never reports a slowness above the ratio of the slowest to the fastest server, nor for all servers", () => {
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
