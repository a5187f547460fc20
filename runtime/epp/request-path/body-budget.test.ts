import { describe, expect, it } from "vitest";
import type { RequestError } from "../../../scheduling/requests/request-error.ts";
import { GrowingBody } from "../server/growing-body.ts";
import { BodyBudget, SharedBodyBudget } from "./body-budget.ts";

const KiB = 1024;
const MiB = 1024 * KiB;

function room({ maxBody = MiB, maxTotal = 4 * MiB } = {}) {
  const clock = { now: 0 };
  const bodies = new BodyBudget({ maxBody, maxTotal, now: () => clock.now });
  const refusals: RequestError[] = [];
  const body = () => new GrowingBody(bodies, (error) => refusals.push(error));
  return { clock, bodies, refusals, body };
}

const refusalOf = (step: () => void) => {
  try {
    step();
  } catch (error) {
    return (error as RequestError).status;
  }
  return undefined;
};

describe("a body that arrives in pieces", () => {
  it("is stored in one buffer, whatever the size of the pieces", () => {
    const { body, bodies } = room();
    const growing = body();
    for (let at = 0; at < 200_000; at += 1) growing.append(Buffer.from([at & 0xff]), false);
    expect(growing.bytes.length).toBe(200_000);
    expect(growing.bytes.every((byte, at) => byte === (at & 0xff))).toBe(true);
    expect(growing.bytes.buffer.byteLength).toBeLessThanOrEqual(2 * 200_000);
    expect(bodies.bytes).toBe(growing.bytes.buffer.byteLength);
    growing.release();
    expect(bodies.bytes).toBe(0);
  });

  it("is not copied if it is one piece", () => {
    const growing = room().body();
    const piece = Buffer.alloc(100 * KiB);
    growing.append(piece, true);
    expect(growing.bytes.buffer).toBe(piece.buffer);
  });

  it("is refused at the first piece beyond its limit", () => {
    const growing = room().body();
    for (let at = 0; at < 16; at += 1) growing.append(Buffer.alloc(64 * KiB), false);
    expect(refusalOf(() => growing.append(Buffer.alloc(1), false))).toBe(413);
  });
});

describe("bodies of several priorities", () => {
  const kept = (body: () => GrowingBody, priority: number, bytes = MiB / 2) => {
    const growing = body();
    growing.priority = priority;
    growing.append(Buffer.alloc(bytes), true);
    growing.keep();
    return growing;
  };

  it("leave an eighth of the budget to arriving bodies, unless their priority is above 0", () => {
    const { body, bodies } = room();
    for (let at = 0; at < 7; at += 1) kept(body, 0);
    expect(bodies.bytes).toBe(3.5 * MiB);
    expect(refusalOf(() => kept(body, 0, 2 * KiB))).toBe(503);
    expect(refusalOf(() => body().append(Buffer.alloc(MiB / 2), false))).toBeUndefined();
  });

  it("a higher priority evicts the newest body of the lowest priority, and an equal priority evicts no body", () => {
    const { body, bodies, refusals } = room();
    const sheddable = kept(body, -1);
    const all = [0, 0, 0, 0, 0, 0].map((priority) => kept(body, priority));
    const arriving = body();
    arriving.append(Buffer.alloc(MiB / 2), false);
    expect(bodies.bytes).toBe(4 * MiB);
    kept(body, 5);
    expect(sheddable.length).toBe(0);
    kept(body, 5);
    expect([arriving.length, all.at(-1)?.length]).toEqual([0, MiB / 2]);
    for (let at = 0; at < 6; at += 1) kept(body, 5);
    expect(all.map(({ length }) => length)).toEqual([0, 0, 0, 0, 0, 0]);
    expect(refusals.map(({ status }) => status)).toEqual(Array(8).fill(503));
    expect(refusalOf(() => kept(body, 5))).toBe(503);
    expect(refusalOf(() => kept(body, 0))).toBe(503);
    expect(bodies.bytes).toBe(4 * MiB);
  });

  it("small bodies of priority 1 are evicted only after all small bodies of priority 0", () => {
    const { body, bodies } = room();
    const small = (priority: number) => {
      const growing = body();
      growing.priority = priority;
      growing.append(Buffer.alloc(64 * KiB), true);
      return growing;
    };
    const critical = Array.from({ length: 16 }, () => small(1));
    for (let at = 0; at < 100; at += 1) small(0);
    expect(critical.filter(({ length }) => length === 0)).toEqual([]);
    expect(bodies.briefBytes).toBe(2 * MiB);
    for (let at = 0; at < 17; at += 1) small(1);
    expect(critical.filter(({ length }) => length === 0)).toHaveLength(1);
  });

  it("a body of known priority evicts a body of lower priority as soon as it arrives", () => {
    const { body, bodies } = room();
    const waiting = Array.from({ length: 7 }, () => kept(body, 0));
    body().append(Buffer.alloc(MiB / 2), false);
    const critical = body();
    critical.priority = 1;
    critical.append(Buffer.alloc(MiB), false);
    expect(waiting.filter(({ length }) => length === 0)).toHaveLength(1);
    expect(bodies.bytes).toBe(4 * MiB);
  });
});

describe("all bodies together", () => {
  it("S1: large bodies are refused when they fill the budget, and small bodies are not", () => {
    const { body, bodies } = room();
    const large = Array.from({ length: 4 }, body);
    for (const each of large) each.append(Buffer.alloc(MiB), false);
    expect(bodies.bytes).toBe(4 * MiB);
    expect(refusalOf(() => body().append(Buffer.alloc(65 * KiB), false))).toBe(503);
    expect(refusalOf(() => body().append(Buffer.alloc(64 * KiB), true))).toBeUndefined();
    large[0]?.release();
    expect(refusalOf(() => body().append(Buffer.alloc(65 * KiB), false))).toBeUndefined();
  });

  it("M4: a small body evicts the small body that began first, and no large one", () => {
    const { body, bodies, refusals } = room();
    body().append(Buffer.alloc(MiB), false);
    const small = Array.from({ length: 32 }, body);
    for (const each of small) each.append(Buffer.alloc(64 * KiB), false);
    expect([bodies.bytes, bodies.briefBytes]).toEqual([MiB, 2 * MiB]);
    const next = body();
    next.append(Buffer.alloc(64 * KiB), false);
    expect(small.findIndex(({ length }) => length === 0)).toBe(0);
    expect(refusals.map(({ status }) => status)).toEqual([503]);
    expect([bodies.bytes, bodies.briefBytes, next.length]).toEqual([MiB, 2 * MiB, 64 * KiB]);
    small[1]?.keepBeside(4 * KiB);
    expect(bodies.briefBytes).toBeLessThanOrEqual(2 * MiB);
  });

  it("M2: other data kept of a request counts against the budget and is freed with its body", () => {
    const { body, bodies } = room();
    const growing = body();
    growing.keepBeside(100 * KiB);
    expect([bodies.bytes, bodies.briefBytes]).toEqual([100 * KiB, 0]);
    growing.append(Buffer.alloc(2 * KiB), false);
    expect(bodies.bytes).toBe(102 * KiB);
    growing.release();
    expect([bodies.bytes, bodies.briefBytes]).toEqual([0, 0]);
    growing.append(Buffer.alloc(2 * KiB), false);
    expect([bodies.bytes, bodies.briefBytes]).toEqual([0, 0]);
  });

  it("M1: a message larger than the budget for small bodies is accepted if it is alone", () => {
    const { bodies } = room();
    const [alone, other] = [{ giveWay() {} }, { giveWay() {} }];
    bodies.pass(alone, 3 * MiB);
    expect(bodies.briefBytes).toBe(3 * MiB);
    bodies.pass(other, 8 * KiB);
    expect(bodies.briefBytes).toBe(8 * KiB);
    bodies.release(other);
    expect(bodies.briefBytes).toBe(0);
  });

  it("the body that has stalled for longest is evicted for an arriving body", () => {
    const { body, bodies, clock, refusals } = room();
    const [stalled, alive] = [body(), body()];
    stalled.append(Buffer.alloc(MiB), false);
    for (const each of [alive, body(), body()]) each.append(Buffer.alloc(MiB - 1), false);
    clock.now = 4_999;
    alive.append(Buffer.alloc(1), false);
    expect(refusalOf(() => body().append(Buffer.alloc(MiB), false))).toBe(503);
    clock.now = 5_000;
    expect(refusalOf(() => body().append(Buffer.alloc(MiB), false))).toBeUndefined();
    expect(refusals.map(({ status, reason }) => [status, reason])).toEqual([
      [503, "rejected-no-room-for-body"],
    ]);
    expect(stalled.length).toBe(0);
    expect(bodies.bytes).toBe(4 * MiB);
  });
});

describe("budgets that share a total", () => {
  const guest = () => ({ giveWay() {} });
  function rooms(count: number, maxTotal: number) {
    const budget = new SharedBodyBudget(maxTotal);
    const made = Array.from(
      { length: count },
      () => new BodyBudget({ maxBody: MiB, maxTotal, now: () => 0, budget }),
    );
    return { budget, rooms: made };
  }
  /** Fills a budget with bodies of 128 KiB until it refuses one; returns the bytes that it holds then. */
  function fill(room: BodyBudget): number {
    while (refusalOf(() => room.hold(guest(), 128 * KiB)) === undefined);
    return room.bytes;
  }

  it("one full budget leaves half of the total, and two leave a third", () => {
    const { budget, rooms: all } = rooms(3, 12 * MiB);
    const [first, second, third] = all as [BodyBudget, BodyBudget, BodyBudget];
    expect(fill(first)).toBe(6 * MiB);
    expect(fill(second)).toBe(3 * MiB);
    expect(budget.free).toBe(3 * MiB);
    expect(fill(third)).toBeGreaterThan(MiB);
  });

  it("bytes that one budget frees are available to the others", () => {
    const { budget, rooms: all } = rooms(2, 4 * MiB);
    const [first, second] = all as [BodyBudget, BodyBudget];
    const held = [guest(), guest()];
    for (const each of held) first.hold(each, MiB);
    expect(refusalOf(() => second.hold(guest(), 2 * MiB))).toBe(503);
    for (const each of held) first.release(each);
    expect(budget.bytes).toBe(0);
    expect(refusalOf(() => second.hold(guest(), 2 * MiB))).toBeUndefined();
  });
});
