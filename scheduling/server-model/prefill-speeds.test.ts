import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { metrics } from "../cycles.fixture.ts";
import { type LiveState, newLiveState } from "../endpoints/endpoint.ts";
import { msPerToken, PrefillSpeed, PrefillSpeeds } from "./prefill-speeds.ts";

interface Prompt {
  /** Time since the previous prompt, in ms. */
  readonly after: number;
  readonly tokens: number;
}

/** Returns the speed measured on a server that computes prompts in order and is read every 50 ms from `start`. */
function served(prompts: readonly Prompt[], tokensPerSecond: number, start = 0): PrefillSpeed {
  const speed = new PrefillSpeed();
  let [sentAt, doneAt] = [start, start];
  const sent = prompts.map(({ after, tokens }) => {
    sentAt += after;
    doneAt = Math.max(doneAt, sentAt) + (1_000 * tokens) / tokensPerSecond;
    return { sentAt, doneAt, tokens };
  });
  let [come, done, sentTokens, computed] = [0, 0, 0, 0];
  for (let now = start; now <= doneAt + 100; now += 50) {
    for (; (sent[come]?.sentAt ?? Number.POSITIVE_INFINITY) <= now; come += 1)
      sentTokens += sent[come]?.tokens ?? 0;
    for (; (sent[done]?.doneAt ?? Number.POSITIVE_INFINITY) <= now; done += 1)
      computed += sent[done]?.tokens ?? 0;
    speed.read(now, { sentTokens, runningTokens: sentTokens - computed });
  }
  return speed;
}

const learnt = (...of: Parameters<typeof served>) => 1_000 / msPerToken(served(...of).seen);

describe("PrefillSpeed", () => {
  it("assumes 10,000 tokens per second before any measurement", () => {
    expect(msPerToken(new PrefillSpeed().seen)).toBeCloseTo(0.1);
  });

  it.each([1_000, 3_000, 10_000, 20_000])(
    "measures a speed of %i tokens per second within 15 percent",
    (speed) => {
      const prompts = Array.from({ length: 100 }, () => ({ after: 2_500, tokens: 2_000 }));
      expect(learnt(prompts, speed) / speed).toBeGreaterThan(0.85);
      expect(learnt(prompts, speed) / speed).toBeLessThan(1.15);
    },
  );

  it("is the same in the middle of a document as at its end", () => {
    const speed = served([{ after: 0, tokens: 30_000 }], 10_000);
    const before = speed.seen;
    for (let now = 3_200; now < 6_000; now += 50)
      speed.read(now, { sentTokens: 50_000, runningTokens: 20_000 });
    expect(speed.seen).toEqual(before);
    speed.read(6_000, { sentTokens: 50_000, runningTokens: 0 });
    expect(msPerToken(speed.seen)).toBeCloseTo(0.1, 1);
  });

  it("ignores the time of a prompt whose request was cancelled", () => {
    const speed = served([{ after: 0, tokens: 30_000 }], 10_000);
    for (const now of [3_200, 5_000])
      speed.read(now, { sentTokens: 50_000, runningTokens: 20_000 });
    for (const now of [5_050, 5_100]) speed.read(now, { sentTokens: 30_000, runningTokens: 0 });
    speed.read(5_150, { sentTokens: 50_000, runningTokens: 20_000 });
    speed.read(7_150, { sentTokens: 50_000, runningTokens: 0 });
    expect(msPerToken(speed.seen)).toBeCloseTo(0.1, 2);
  });

  it("is not lowered by prompts that wait behind others", () => {
    const prompts = Array.from({ length: 100 }, () => ({ after: 1, tokens: 2_000 }));
    expect(learnt(prompts, 3_000) / 3_000).toBeGreaterThan(0.9);
    expect(learnt(prompts, 3_000) / 3_000).toBeLessThan(1.1);
  });

  it("ignores servers that are mostly idle or compute only short prompts", () => {
    const short = Array.from({ length: 1_000 }, () => ({ after: 200, tokens: 500 }));
    expect(msPerToken(served(short, 3_000).seen)).toBeCloseTo(0.1);
  });

  it("ignores the time in which the server could not be read", () => {
    const speed = new PrefillSpeed();
    speed.read(0, { sentTokens: 5_000, runningTokens: 5_000 });
    speed.read(60_000, { sentTokens: 5_000, runningTokens: 5_000 });
    speed.read(60_050, { sentTokens: 5_000, runningTokens: 4_500 });
    expect(speed.seen.ms).toBeCloseTo(50, 0);
  });

  it("measures the total speed of a server that also computes other pickers' prompts", () => {
    const speed = new PrefillSpeed();
    // This picker sent a third of the 30 tokens per ms.
    for (let now = 0; now < 20_000; now += 50)
      speed.read(now, { sentTokens: 10 * now, runningTokens: 2_000, externalTokens: 4_000 });
    expect(1 / msPerToken(speed.seen)).toBeGreaterThan(20);
  });

  it("follows a server that becomes slower or pauses for a moment", () => {
    const speed = new PrefillSpeed();
    let [now, sentTokens] = [0, 100_000];
    const run = (ms: number, perMs: number) => {
      for (const until = now + ms; now < until; now += 50) {
        sentTokens += 50 * perMs;
        speed.read(now, { sentTokens, runningTokens: 100_000 });
      }
      return 1 / msPerToken(speed.seen);
    };
    expect(run(20_000, 10)).toBeCloseTo(10, 0);
    expect(run(60_000, 2)).toBeLessThan(3);
    expect(run(20_000, 10)).toBeGreaterThan(8);
    expect(run(5_000, 0)).toBeLessThan(9);
    expect(run(20_000, 10)).toBeGreaterThan(9);
  });

  it("stays between 0.8 and 1.25 times the real speed for any prompts and waits", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 500, max: 20_000 }),
        fc.array(
          fc.record({
            after: fc.integer({ min: 0, max: 3_000 }),
            tokens: fc.integer({ min: 4_096, max: 30_000 }),
          }),
          { minLength: 30, maxLength: 60, size: "max" },
        ),
        fc.integer({ min: 0, max: 50 }),
        (tokensPerSecond, prompts, start) => {
          const { tokens, ms } = served(prompts, tokensPerSecond, start).seen;
          expect((1_000 * tokens) / ms / tokensPerSecond).toBeGreaterThan(0.8);
          expect((1_000 * tokens) / ms / tokensPerSecond).toBeLessThan(1.25);
          expect(tokens).toBeLessThanOrEqual(65_536);
        },
      ),
    );
  }, 60_000);
});

/** Reads servers that compute `perMs` prompt tokens per ms and always have more to compute, for two minutes. */
function run(speeds: PrefillSpeeds, ...perMs: readonly number[]): LiveState[] {
  const lives = perMs.map(() => ({ ...newLiveState(), runningTokens: 4_096 }));
  for (let at = 0; at < 120_000; at += 50)
    for (const [index, live] of lives.entries()) {
      live.sentTokens += 50 * (perMs[index] as number);
      live.metrics = metrics({ at });
      speeds.read(live);
    }
  return lives;
}

it("PrefillSpeeds finds the server that takes twice as long as the others", () => {
  const [slow, ...others] = run(new PrefillSpeeds(), 5, 10, 10, 10);
  expect(slow?.slowness).toBeCloseTo(2);
  expect(others.map(({ slowness }) => slowness)).toEqual([1, 1, 1]);
});

it("PrefillSpeeds reports a slowness of 1 for servers that differ by a fifth, and for a lone server", () => {
  expect(run(new PrefillSpeeds(), 8.4, 10).map(({ slowness }) => slowness)).toEqual([1, 1]);
  expect(run(new PrefillSpeeds(), 5).map(({ slowness }) => slowness)).toEqual([1]);
});

it("PrefillSpeeds reports a slowness of 1 for a server without prompts", () => {
  const speeds = new PrefillSpeeds();
  const idle = newLiveState();
  for (let at = 0; at < 120_000; at += 50) {
    idle.metrics = metrics({ at });
    speeds.read(idle);
  }
  run(speeds, 10);
  expect(idle.slowness).toBe(1);
});

it("PrefillSpeeds forgets servers that have left", () => {
  const speeds = new PrefillSpeeds();
  run(speeds, 100);
  speeds.retain(new Set());
  expect(run(speeds, 10, 10).map(({ slowness }) => slowness)).toEqual([1, 1]);
});

it("PrefillSpeeds reports the mean speed of the servers that are still in the pool", () => {
  const speeds = new PrefillSpeeds();
  expect(speeds.msPerToken).toBeCloseTo(0.1);
  const [fast, slow] = run(speeds, 10, 2);
  expect(speeds.msPerToken).toBeGreaterThan(0.15);
  speeds.retain(new Set([fast as LiveState]));
  expect(speeds.msPerToken).toBeCloseTo(0.1);
  speeds.retain(new Set([slow as LiveState]));
  expect(speeds.msPerToken).toBeCloseTo(0.1);
});

describe("PrefillSpeeds of a server that computed long prompts slowly and is idle", () => {
  function idleAfter20s() {
    const speeds = new PrefillSpeeds();
    const [slow] = run(speeds, 1, 10, 10, 10) as [LiveState, ...LiveState[]];
    slow.runningTokens = 0;
    let now = slow.metrics?.at ?? 0;
    const slownessAfter = (ms: number) => {
      now += ms;
      slow.metrics = metrics({ at: now });
      speeds.read(slow);
      return slow.slowness;
    };
    /** The server gets a request and responds after a time. */
    const responds = (delayMs: number) => {
      slow.runningRequests = 1;
      slownessAfter(50);
      speeds.began(slow, { at: now + delayMs, delayMs, tokens: 4_000 });
      slow.runningRequests = 0;
    };
    slow.runningRequests = 1;
    slownessAfter(50);
    responds(4_000);
    return { slow, slownessAfter, responds };
  }

  it("retries it with one request every 7 s", () => {
    const { slow, slownessAfter } = idleAfter20s();
    expect(slownessAfter(4_000)).toBeCloseTo(9.3, 1);
    expect(slownessAfter(6_900)).toBeCloseTo(9.3, 1);
    expect(slownessAfter(200)).toBe(1);
    slow.runningRequests = 1;
    expect(slownessAfter(50)).toBeCloseTo(9.3, 1);
    slow.runningRequests = 0;
    expect(slownessAfter(6_900)).toBeCloseTo(9.3, 1);
    expect(slownessAfter(200)).toBe(1);
  });

  it("sends it one request after the other while it responds fast, and forgets its speed after three", () => {
    const { slow, slownessAfter, responds } = idleAfter20s();
    for (const _ of [1, 2]) {
      responds(400);
      expect(slownessAfter(500)).toBe(1);
    }
    slow.runningRequests = 1;
    expect(slownessAfter(50)).toBeCloseTo(9.3, 1);
    responds(400);
    slow.runningRequests = 1;
    expect(slownessAfter(50)).toBe(1);
  });

  it("keeps its speed if one of three responses is slow", () => {
    const { slow, slownessAfter, responds } = idleAfter20s();
    responds(400);
    responds(400);
    responds(4_000);
    responds(400);
    slow.runningRequests = 1;
    expect(slownessAfter(50)).toBeCloseTo(9.3, 1);
  });
});

it("PrefillSpeeds ignores the delays of long prompts", () => {
  const speeds = new PrefillSpeeds();
  const servers = [1, 2].map(newLiveState) as [LiveState, LiveState];
  for (const [at, live] of servers.entries()) {
    for (let answer = 0; answer < 16; answer += 1)
      speeds.began(live, { at: 0, delayMs: 100 + 900 * at, tokens: 513 });
    live.metrics = metrics({ at: 1 });
    speeds.read(live);
  }
  expect(servers.map(({ slowness }) => slowness)).toEqual([1, 1]);
});

it("PrefillSpeeds retries a slow server when it is idle, and forgets its slow responses after a fast one", () => {
  const speeds = new PrefillSpeeds();
  const [slow, ...others] = Array.from({ length: 4 }, newLiveState) as [LiveState, ...LiveState[]];
  const answer = (live: LiveState, at: number, delayMs: number) =>
    speeds.began(live, { at, delayMs, tokens: 100 });
  const slownessAt = (at: number) => {
    slow.metrics = metrics({ at });
    speeds.read(slow);
    return slow.slowness;
  };
  for (let at = 100; at <= 6_400; at += 100) {
    for (const live of others) answer(live, at, 30);
    // The server was fast in the first second.
    answer(slow, at, at < 1_000 ? 30 : 300);
  }
  expect(slownessAt(7_000)).toBe(10);
  expect(slownessAt(13_400)).toBe(10);
  expect(slownessAt(13_401)).toBe(1);
  slow.runningRequests = 1;
  expect(slownessAt(13_450)).toBe(10);
  slow.runningRequests = 0;
  answer(slow, 13_500, 30);
  expect(slownessAt(15_000)).toBe(1);
});
