import { describe, expect, it } from "vitest";
import { cycleOf, endpointsWith, leftBy, metrics, now, pluginOf } from "../../cycles.fixture.ts";
import type { LiveState } from "../../endpoint.ts";
import type { SaturationDetector } from "../../saturation.ts";
import { poolSaturation } from "../../saturation.ts";

type Lives = ReadonlyArray<Partial<LiveState>>;

const saturation = (type: string, parameters: object, lives: Lives) => {
  const detector = pluginOf(type, parameters).detector as SaturationDetector;
  return poolSaturation(detector, endpointsWith(...lives), now);
};

const left = (type: string, parameters: object, lives: Lives) =>
  leftBy(pluginOf(type, parameters), cycleOf(endpointsWith(...lives)));

const used = (waitingRequests: number, kvCacheUsage: number, age = 0) => ({
  metrics: metrics({ waitingRequests, kvCacheUsage, at: now - age }),
});

describe("free-endpoint-detector", () => {
  const type = "free-endpoint-detector";
  const full = used(9, 0.9);

  it.each<[string, object, Lives, number]>([
    ["no endpoint", {}, [], 1],
    ["one idle beside full ones", {}, [full, used(0, 0), full], 0],
    ["all full", {}, [full, used(5, 0)], 1],
    ["as full as the emptiest", {}, [full, used(2, 0)], 0.4],
    ["the unknown are not full", {}, [{}, used(2, 0)], 0.4],
    ["nor are they empty", {}, [{}, used(0, 0, 2001), used(5, 0, 2000)], 1],
    ["nothing known", {}, [{}, used(9, 0, 2001)], 0],
    ["another age", { metricsStalenessThreshold: "1s" }, [used(5, 0, 1001)], 0],
    ["another threshold", { queueDepthThreshold: 10 }, [used(5, 0)], 0.5],
  ])("%s", (_, parameters, lives, expected) => {
    expect(saturation(type, parameters, lives)).toBeCloseTo(expected, 12);
  });
});

describe("utilization-detector", () => {
  const type = "utilization-detector";

  it("a server is full by its requests to those with which it keeps the objective for the time between tokens", () => {
    const paced = (msBetweenTokens: number, running: number, sent = running) => ({
      metrics: metrics({ runningRequests: running }),
      runningRequests: sent,
      msBetweenTokens,
    });
    const full = (...of: Parameters<typeof paced>) =>
      saturation(type, { msBetweenTokensThreshold: 25 }, [paced(...of)]);
    // 0.92 of 25 ms is the aim.
    expect(full(23, 10)).toBeCloseTo(1);
    expect(full(46, 10)).toBeCloseTo(2);
    expect(full(11.5, 10, 20)).toBeCloseTo(1);
    expect(full(0, 10)).toBe(0);
    // A prompt of its own slows the only answer.
    expect(full(100, 1)).toBeCloseTo(0.5);
    expect(saturation(type, {}, [paced(1_000, 10)])).toBe(0);
  });

  it.each([
    ["no endpoint", {}, [], 1],
    ["unread", {}, [{}], 1],
    ["idle", {}, [used(0, 0)], 0],
    ["by the queue", {}, [used(2, 0)], 0.4],
    ["by the cache", {}, [used(0, 0.4)], 0.5],
    ["by the scarcer of both", {}, [used(1, 0.6)], 0.6 / 0.8],
    ["beyond 1", {}, [used(20, 0)], 4],
    ["on average", {}, [used(0, 0), used(5, 0), used(10, 0), {}], 1],
    ["metrics just young enough", {}, [used(0, 0, 200)], 0],
    ["metrics too old", {}, [used(0, 0, 201)], 1],
    ["another age", { metricsStalenessThreshold: "1s" }, [used(0, 0, 1000)], 0],
    [
      "other thresholds",
      { queueDepthThreshold: 10, kvCacheUtilThreshold: 0.5 },
      [used(5, 0), used(0, 0.5)],
      0.75,
    ],
    ["headroom does not count", { headroom: 1 }, [used(5, 0)], 1],
  ])("%s", (_, parameters, lives, expected) => {
    expect(saturation(type, parameters, lives)).toBeCloseTo(expected as number, 12);
  });

  it.each([
    ["those with room", {}, [used(4, 0.7), used(5, 0), used(0, 0.8)], ["a"]],
    [
      "headroom above the thresholds",
      { headroom: 0.2 },
      [used(5, 0), used(6, 0), used(0, 0.9)],
      ["a", "c"],
    ],
    [
      "not the unknown, whatever the headroom",
      { headroom: 9 },
      [used(9, 0), {}, used(0, 0, 201)],
      ["a"],
    ],
    ["all where none is left", {}, [used(9, 0), {}], ["a", "b"]],
  ])("utilization-detector as a filter leaves %s", (_, parameters, lives, expected) => {
    expect(left(type, parameters, lives)).toEqual(expected);
  });

  it.each([
    [{ queueDepthThreshold: 0 }, "expected number to be >0"],
    [{ kvCacheUtilThreshold: 1.1 }, "expected number to be <=1"],
    [{ kvCacheUtilThreshold: 0 }, "expected number to be >0"],
    [{ headroom: -1 }, "expected number to be >=0"],
    [
      { metricsStalenessThreshold: "soon" },
      '"soon" is not a duration above 0: write for example 200ms',
    ],
    [
      { metricsStalenessThreshold: "0s" },
      '"0s" is not a duration above 0: write for example 200ms',
    ],
    [{ metricsStalenessThreshold: 200 }, "expected string, received number"],
  ])("refuses %j", (parameters, message) => {
    expect(() => pluginOf(type, parameters)).toThrow(message.replaceAll('"', '\\"'));
  });
});

const load = (runningRequests: number, runningTokens = 0) => ({ runningRequests, runningTokens });

describe("concurrency-detector", () => {
  const type = "concurrency-detector";
  const small = { maxConcurrency: 10, maxTokenConcurrency: 1000 };

  it.each([
    ["no endpoint", {}, [], 1],
    ["100 requests per pod by default", {}, [load(50), load(0)], 0.25],
    ["a million tokens a pod by default", { concurrencyMode: "tokens" }, [load(0, 250_000)], 0.25],
    ["requests", small, [load(10, 9000), load(5)], 0.75],
    ["tokens", { ...small, concurrencyMode: "tokens" }, [load(99, 500), load(99, 1000)], 0.75],
    ["beyond 1", small, [load(30)], 3],
    [
      "the scarcer of both at each pod",
      { ...small, concurrencyMode: "hybrid" },
      [load(10, 0), load(0, 1000)],
      1,
    ],
    ["headroom does not count", { ...small, headroom: 1 }, [load(10)], 1],
  ])("%s", (_, parameters, lives, expected) => {
    expect(saturation(type, parameters, lives)).toBe(expected);
  });

  it.each([
    ["those below the limit", small, [load(9), load(10), load(11)], ["a"]],
    ["none where all are full", small, [load(10), load(11)], []],
    ["whole requests of headroom", { ...small, headroom: 0.25 }, [load(11), load(12)], ["a"]],
    ["by tokens", { ...small, concurrencyMode: "tokens" }, [load(99, 999), load(0, 1000)], ["a"]],
    [
      "by both",
      { ...small, concurrencyMode: "hybrid" },
      [load(9, 1000), load(10, 0), load(9, 999)],
      ["c"],
    ],
  ])("concurrency-detector as a filter leaves %s", (_, parameters, lives, expected) => {
    expect(left(type, parameters, lives)).toEqual(expected);
  });

  it.each([
    [{ maxConcurrency: 0 }],
    [{ maxTokenConcurrency: -1 }],
    [{ headroom: -0.1 }],
    [{ concurrencyMode: "words" }],
  ])("refuses %j", (parameters) => {
    expect(() => pluginOf(type, parameters)).toThrow();
  });
});
