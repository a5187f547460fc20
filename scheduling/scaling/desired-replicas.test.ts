import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DesiredReplicas, type RoleLoad } from "./desired-replicas.ts";

const load = (role: string, replicas: number, load: number, slots = 10): RoleLoad => ({
  ...{ role, replicas, load },
  ...{ slots: replicas * slots, isLimitKnown: replicas > 0 },
});

/** Replicas of which none has reached its limit. */
const unlimited = (role: string, replicas: number, requests: number): RoleLoad => ({
  ...load(role, replicas, requests),
  isLimitKnown: false,
});

const one = () => new DesiredReplicas({ unit: new Map([["w", 1]]), targetUtilization: 0.8 });
const pair = () =>
  new DesiredReplicas({
    unit: new Map([
      ["p", 1],
      ["d", 2],
    ]),
    targetUtilization: 1,
  });

describe("DesiredReplicas", () => {
  it.each([
    ["0 without requests", 0, [load("w", 3, 0)], 0],
    ["1 for a request and no replica", 1, [load("w", 0, 0)], 1],
    ["the replicas whose slots are used up to the target", 0, [load("w", 2, 16)], 2],
    ["one more above the target", 0, [load("w", 2, 17)], 3],
    ["replicas for queued requests", 24, [load("w", 2, 16)], 5],
    ["fewer replicas for fewer requests", 0, [load("w", 8, 3)], 1],
  ] as const)("returns %s", (_, queued, loads, replicas) => {
    expect(one().replicas(queued, loads).get("w")).toBe(replicas);
  });

  it.each([
    ["the prefillers", 0, [load("p", 1, 15), load("d", 2, 10)], 2],
    ["the decoders", 0, [load("p", 1, 5), load("d", 2, 41)], 3],
    ["the queue", 12, [load("p", 1, 9), load("d", 2, 5)], 3],
  ] as const)("returns whole units by the load of %s", (_, queued, loads, units) => {
    expect(Object.fromEntries(pair().replicas(queued, loads))).toEqual({ p: units, d: 2 * units });
  });

  it("uses the slots of earlier replicas for a start from zero", () => {
    const scaler = one();
    scaler.replicas(0, [load("w", 2, 4)]);
    expect(scaler.replicas(0, []).get("w")).toBe(0);
    expect(scaler.replicas(30, []).get("w")).toBe(4);
  });

  it("starts no replica for full slots of which the limit is unknown", () => {
    expect(one().units(0, [unlimited("w", 2, 20)])).toBe(2);
    expect(one().units(0, [unlimited("w", 8, 3)])).toBe(1);
  });

  it("starts replicas for queued requests, whether the limit is known or not", () => {
    expect(one().units(4, [unlimited("w", 2, 20)])).toBe(3);
    expect(one().units(30, [])).toBe(1);
  });

  it("uses the known limit of earlier replicas until a new one reaches its own", () => {
    const scaler = one();
    scaler.units(0, [load("w", 1, 8)]);
    expect(scaler.units(0, [unlimited("w", 1, 10)])).toBe(2);
  });

  it("never returns fewer units for more queued requests", () => {
    const count = fc.nat(200);
    fc.assert(
      fc.property(count, count, count, fc.integer({ min: 1, max: 9 }), (a, b, busy, ready) => {
        const loads = [load("p", ready, busy), load("d", 2 * ready, busy)];
        const [less, more] = a < b ? [a, b] : [b, a];
        expect(pair().units(more, loads)).toBeGreaterThanOrEqual(pair().units(less, loads));
      }),
    );
  });
});
