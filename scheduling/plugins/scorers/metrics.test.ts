import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  cycleOf,
  endpointsWith,
  metrics,
  pluginOf,
  scoresOf,
  stale,
} from "../../cycles.fixture.ts";
import type { LiveState } from "../../endpoints/endpoint.ts";

const scores = (
  type: string,
  lives: ReadonlyArray<Partial<LiveState>>,
  change: { parameters?: object; targetModel?: string } = {},
) =>
  scoresOf(
    pluginOf(type, change.parameters),
    cycleOf(endpointsWith(...lives), { targetModel: change.targetModel ?? "m" }),
  );

const unread: Partial<LiveState> = {};

describe.each([
  ["queue-scorer", "waitingRequests"],
  ["running-requests-size-scorer", "runningRequests"],
] as const)("%s", (type, field) => {
  const having = (count: number) => ({ metrics: metrics({ [field]: count }) });

  it.each([
    ["scores between the lowest and the highest value", [0, 5, 10], [1, 0.5, 0]],
    ["ignores an offset", [100, 103, 104], [1, 0.25, 0]],
    ["scores equal values 1", [7, 7, 7], [1, 1, 1]],
    ["scores a single endpoint 1", [42], [1]],
    ["scores the lower of two values 1", [3, 1], [0, 1]],
  ])("%s", (_, counts, expected) => {
    expect(scores(type, counts.map(having))).toEqual(expected);
  });

  it("scores stale or missing metrics 0, and compares the rest", () => {
    const old = { metrics: stale({ [field]: 0 }) };
    expect(scores(type, [old, having(2), unread, having(4)])).toEqual([0, 1, 0, 0]);
    expect(scores(type, [old, having(2), having(2)])).toEqual([0, 1, 1]);
    expect(scores(type, [old, unread])).toEqual([0, 0]);
  });

  it("ignores the other count", () => {
    const other = field === "waitingRequests" ? "runningRequests" : "waitingRequests";
    expect(scores(type, [{ metrics: metrics({ [other]: 9 }) }, having(0)])).toEqual([1, 1]);
  });
});

describe("kv-cache-utilization-scorer", () => {
  it("scores the free share of the cache, and 0 for stale or missing metrics", () => {
    const using = (kvCacheUsage: number) => ({ metrics: metrics({ kvCacheUsage }) });
    const old = { metrics: stale({ kvCacheUsage: 0 }) };
    const lives = [using(0), using(0.25), using(1), old, unread];
    expect(scores("kv-cache-utilization-scorer", lives)).toEqual([1, 0.75, 0, 0, 0]);
  });
});

describe("load-aware-scorer", () => {
  const waiting = (waitingRequests: number) => ({ metrics: metrics({ waitingRequests }) });

  it.each([
    [{}, [0, 1, 64, 128, 500], [0.5, 0.5 * (1 - 1 / 128), 0.25, 0, 0]],
    [{ threshold: 10 }, [0, 1, 5, 10, 11], [0.5, 0.45, 0.25, 0, 0]],
  ])("scores the queue with parameters %j", (parameters, counts, expected) => {
    expect(scores("load-aware-scorer", counts.map(waiting), { parameters })).toEqual(expected);
  });

  it("treats stale or missing metrics as a full queue", () => {
    expect(scores("load-aware-scorer", [{ metrics: stale() }, unread, waiting(0)])).toEqual([
      0, 0, 0.5,
    ]);
  });
});

describe("lora-affinity-scorer", () => {
  const adapters = (active: string[], waiting: string[], maxActiveModels: number) => ({
    metrics: metrics({
      activeModels: new Set(active),
      waitingModels: new Set(waiting),
      maxActiveModels,
    }),
  });

  it.each([
    ["serves the adapter", adapters(["m"], [], 1), 1],
    ["serves the adapter while requests wait for it", adapters(["m"], ["m"], 1), 1],
    ["can load another adapter", adapters(["a"], ["b"], 3), 0.8],
    ["has requests that wait for the adapter, and can load it", adapters([], ["m"], 2), 0.8],
    ["has requests that wait for the adapter, and cannot load it", adapters(["a"], ["m"], 2), 0.6],
    ["has other adapters, and cannot load one more", adapters(["a", "b"], ["c"], 3), 0],
    ["reports no adapters", adapters([], [], 0), 0],
    ["has stale metrics", { metrics: stale({ activeModels: new Set(["m"]) }) }, 0],
    ["has no metrics", unread, 0],
  ])("scores a server that %s", (_, live, expected) => {
    expect(scores("lora-affinity-scorer", [live])).toEqual([expected]);
  });

  it("compares adapters with the target model", () => {
    const live = adapters(["m"], [], 1);
    expect(scores("lora-affinity-scorer", [live], { targetModel: "other" })).toEqual([0]);
  });
});

const reading = fc.record({
  old: fc.boolean(),
  waitingRequests: fc.nat(1000),
  runningRequests: fc.nat(1000),
  kvCacheUsage: fc.double({ min: 0, max: 1, noNaN: true }),
});
const lives = fc.array(
  reading.map(({ old, ...change }) => ({ metrics: old ? stale(change) : metrics(change) })),
  { minLength: 1, maxLength: 8 },
);

describe.each([
  "queue-scorer",
  "running-requests-size-scorer",
  "kv-cache-utilization-scorer",
  "load-aware-scorer",
  "lora-affinity-scorer",
])("%s on any metrics", (type) => {
  it("scores each endpoint in 0..1, and endpoints with stale metrics 0", () => {
    fc.assert(
      fc.property(lives, (given) => {
        const found = scores(type, given);
        expect(found).toHaveLength(given.length);
        found.forEach((score, at) => {
          expect(score).toBeGreaterThanOrEqual(0);
          expect(score).toBeLessThanOrEqual(1);
          if (given[at]?.metrics.at !== metrics().at) expect(score).toBe(0);
        });
      }),
    );
  });
});
