import { describe, expect, it } from "vitest";
import type { RequestError } from "../../../scheduling/request-error.ts";
import { GrowingBody } from "../server/growing-body.ts";
import { BodyBudget, BodyRoom } from "./body-room.ts";

const KiB = 1024;
const MiB = 1024 * KiB;

function room({ maxBody = MiB, maxTotal = 4 * MiB } = {}) {
  const clock = { now: 0 };
  const bodies = new BodyRoom({ maxBody, maxTotal, now: () => clock.now });
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

describe("a body that comes in pieces", () => {
  it("is one buffer, whatever the pieces", () => {
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

  it("is not copied where it is one piece", () => {
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

describe("all bodies together", () => {
  it("S1: have so much room, of which small ones need none", () => {
    const { body, bodies } = room();
    const large = Array.from({ length: 4 }, body);
    for (const each of large) each.append(Buffer.alloc(MiB), false);
    expect(bodies.bytes).toBe(4 * MiB);
    expect(refusalOf(() => body().append(Buffer.alloc(65 * KiB), false))).toBe(503);
    expect(refusalOf(() => body().append(Buffer.alloc(64 * KiB), true))).toBeUndefined();
    large[0]?.release();
    expect(refusalOf(() => body().append(Buffer.alloc(65 * KiB), false))).toBeUndefined();
  });

  it("M4: small bodies take the room of the one that began first, and of no large one", () => {
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

  it("M2: what is kept beside a body takes room with it, and is let go with it", () => {
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

  it("M1: a message that is longer than all brief room is taken where it is alone", () => {
    const { bodies } = room();
    const [alone, other] = [{ giveWay() {} }, { giveWay() {} }];
    bodies.pass(alone, 3 * MiB);
    expect(bodies.briefBytes).toBe(3 * MiB);
    bodies.pass(other, 8 * KiB);
    expect(bodies.briefBytes).toBe(8 * KiB);
    bodies.release(other);
    expect(bodies.briefBytes).toBe(0);
  });

  it("all bodies together lose the one that stalled for longest to one that comes", () => {
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

describe("rooms with a budget in common", () => {
  const guest = () => ({ giveWay() {} });
  function rooms(count: number, maxTotal: number) {
    const budget = new BodyBudget(maxTotal);
    const made = Array.from(
      { length: count },
      () => new BodyRoom({ maxBody: MiB, maxTotal, now: () => 0, budget }),
    );
    return { budget, rooms: made };
  }
  /** The room takes bodies of 128 KiB until it has no more; answers the bytes that it holds then. */
  function fill(room: BodyRoom): number {
    while (refusalOf(() => room.hold(guest(), 128 * KiB)) === undefined);
    return room.bytes;
  }

  it("one that takes all it can get leaves half, and two leave a third", () => {
    const { budget, rooms: all } = rooms(3, 12 * MiB);
    const [first, second, third] = all as [BodyRoom, BodyRoom, BodyRoom];
    expect(fill(first)).toBe(6 * MiB);
    expect(fill(second)).toBe(3 * MiB);
    expect(budget.free).toBe(3 * MiB);
    expect(fill(third)).toBeGreaterThan(MiB);
  });

  it("what one gives back the others may take", () => {
    const { budget, rooms: all } = rooms(2, 4 * MiB);
    const [first, second] = all as [BodyRoom, BodyRoom];
    const held = [guest(), guest()];
    for (const each of held) first.hold(each, MiB);
    expect(refusalOf(() => second.hold(guest(), 2 * MiB))).toBe(503);
    for (const each of held) first.release(each);
    expect(budget.bytes).toBe(0);
    expect(refusalOf(() => second.hold(guest(), 2 * MiB))).toBeUndefined();
  });
});
