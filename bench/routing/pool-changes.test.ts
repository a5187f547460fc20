import fc from "fast-check";
import { expect, it } from "vitest";
import { type Overload, type OverloadRun, overload } from "./flow-pool.ts";
import type { FlowArrival } from "./queueing-picker.ts";
import { Random } from "./random.ts";
import type { PodChange } from "./trace.ts";

/** Requests in the picker's queues while pods are added and removed, in virtual time. */

const seconds = 1_000;
const engine = {
  ...{ maxSequences: 8, maxBatchedTokens: 2_048, prefillTokensPerSecond: 10_000 },
  ...{ stepMs: 10, stepMsPerSequence: 0.2, cacheBlocks: 4_096 },
};

interface Load {
  readonly perSecond: number;
  readonly until: number;
  readonly patience?: number;
}

/** Short requests of two flows. */
function arrivals(seed: number, { perSecond, until, patience }: Load): FlowArrival[] {
  const random = new Random(seed);
  const made: FlowArrival[] = [];
  for (let at = 0; ; ) {
    at += random.exponential(seconds / perSecond);
    if (at >= until) return made;
    made.push({
      at,
      prompt: random.text(random.between(50, 600)),
      outputTokens: random.between(10, 60),
      flow: { id: random.next() < 0.5 ? "a" : "b", priority: 0 },
      ...(patience !== undefined && { patience }),
    });
  }
}

const all = (change: PodChange["change"], at: number, ...pods: readonly number[]): PodChange[] =>
  pods.map((pod) => ({ at, pod, change }));

const run = (of: Omit<Overload, "engine" | "seed" | "until">, until = 60 * seconds): OverloadRun =>
  overload({ engine, seed: 1, until, noServerTimeoutSeconds: 60, ...of });

const failed = ({ answers }: OverloadRun) => answers.filter(({ outcome }) => outcome.failed);

/** The 99th percentile of requests that waited at an engine. */
const waiting = ({ waiting }: OverloadRun) =>
  waiting.map(({ requests }) => requests).toSorted((a, b) => a - b)[
    Math.ceil(0.99 * waiting.length) - 1
  ];

/** The claims hold for every seed. */
const seeds = [1, 2, 3, 4, 5, 6];

it.each(seeds)(
  "the queue survives the death of all pods: only running requests and at most 8 later ones fail, seed %i",
  (seed) => {
    const dead = run({
      pods: 4,
      changes: [...all("dies", 3 * seconds, 0, 1), ...all("joins", 8 * seconds, 2, 3)],
      arrivals: arrivals(seed, { perSecond: 40, until: 6 * seconds }),
    });
    const lost = failed(dead);
    for (const { sentAt = 0 } of lost) expect(sentAt).toBeLessThan(3_100);
    const sentToTheDead = lost.filter(({ sentAt = 0 }) => sentAt > 3 * seconds);
    // It is known within 100 ms, in which four come on average. A source that fails everywhere counts less.
    expect(sentToTheDead.length).toBeLessThanOrEqual(8);
    // Each pod had as many as it has slots, and one that tries whether there is another.
    expect(lost.length - sentToTheDead.length).toBeLessThanOrEqual(2 * (engine.maxSequences + 1));
    expect(waiting(dead)).toBeLessThanOrEqual(1);
    expect(dead.left).toBe(0);
  },
);

it("at most two requests wait at pods that join an empty pool with a queue", () => {
  const cold = run({
    pods: 3,
    changes: all("joins", 5 * seconds, 0, 1, 2),
    arrivals: arrivals(2, { perSecond: 60, until: 5 * seconds }),
  });
  expect(failed(cold)).toEqual([]);
  expect(Math.max(...cold.waiting.map(({ requests }) => requests))).toBeLessThanOrEqual(2);
});

it("a queue sends no request until a decoder joins, if only a prefiller has joined an empty pool", () => {
  const [prefiller, decoder] = [0, 1];
  const cold = run({
    pods: 2,
    prefillers: [prefiller],
    changes: [...all("joins", 2 * seconds, prefiller), ...all("joins", 4 * seconds, decoder)],
    arrivals: arrivals(5, { perSecond: 10, until: 3 * seconds }),
  });
  expect(failed(cold)).toEqual([]);
  expect(cold.answers.every(({ sentAt = 0 }) => sentAt >= 4 * seconds)).toBe(true);
});

it.each(["metrics stop", "metrics freeze"] as const)(
  "a pod that answers keeps its share of requests although its %s",
  (change) => {
    const pods = 2;
    const changes = all(change, 2 * seconds, 0);
    const load = { perSecond: 40, until: 12 * seconds };
    const { answers } = run({ pods, changes, arrivals: arrivals(3, load) });
    const later = answers.filter(({ sentAt = 0 }) => sentAt > 5 * seconds && sentAt < load.until);
    const own = later.filter(({ outcome }) => outcome.pod === 0);
    expect(own.length).toBeGreaterThan(0.8 * (later.length / pods));
  },
);

it("a hung pod fails at most one request per slot and one that probes for another slot", () => {
  const pods = 2;
  const changes = all("hangs", 3 * seconds, 0);
  const hung = run({ pods, changes, arrivals: arrivals(4, { perSecond: 30, until: 8 * seconds }) });
  expect(failed(hung).length).toBeLessThanOrEqual(engine.maxSequences + 1);
  expect(failed(hung).every(({ outcome }) => outcome.pod === 0)).toBe(true);
});

it.each(seeds)("no request is lost while every pod is replaced, seed %i", (seed) => {
  const rolling = run({
    pods: 6,
    changes: [0, 1, 2].flatMap((pod) => [
      ...all("joins", (2 + 2 * pod) * seconds, 3 + pod),
      ...all("leaves", (3 + 2 * pod) * seconds, pod),
    ]),
    arrivals: arrivals(seed, { perSecond: 40, until: 9 * seconds }),
  });
  expect(failed(rolling)).toEqual([]);
  // The picker learns the slots of each joining pod.
  expect(waiting(rolling)).toBeLessThanOrEqual(2);
  expect(rolling.left).toBe(0);
});

const change = fc.record({
  at: fc.integer({ min: 0, max: 4_000 }),
  pod: fc.nat(3),
  change: fc.constantFrom<PodChange["change"]>(
    ...(["joins", "leaves", "dies", "hangs", "metrics stop", "metrics freeze"] as const),
  ),
});

it("no request is answered twice or leaked, for any changes of pods and clients", () => {
  fc.assert(
    fc.property(
      fc.array(change, { maxLength: 8 }),
      fc.integer({ min: 1, max: 1_000 }),
      fc.option(fc.integer({ min: 1, max: 2_000 }), { nil: undefined }),
      (changes, seed, patience) => {
        const load = { perSecond: 40, until: 3 * seconds, ...(patience && { patience }) };
        const { answers, left } = run(
          { pods: 4, changes, arrivals: arrivals(seed, load), noServerTimeoutSeconds: 2 },
          20 * seconds,
        );
        expect(left).toBe(0);
        for (const { arrival, outcome } of answers) {
          if (outcome.failed) continue;
          expect(outcome.tokens).toBe(arrival.outputTokens);
          expect(outcome.endAt).toBeGreaterThan(arrival.at);
        }
      },
    ),
    { numRuns: 25 },
  );
});
