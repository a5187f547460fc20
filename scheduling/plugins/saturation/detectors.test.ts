import { describe, expect, it } from "vitest";
import { cycleOf, endpointsWith, leftBy, metrics, now, pluginOf } from "../../cycles.fixture.ts";
import type { LiveState } from "../../endpoints/endpoint.ts";
import type { SaturationDetector } from "../../endpoints/saturation.ts";
import { poolSaturation } from "../../endpoints/saturation.ts";

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
    ["a pool without endpoints is full", {}, [], 1],
    ["a pool with one idle endpoint is not full", {}, [full, used(0, 0), full], 0],
    ["a pool is full if all endpoints are full", {}, [full, used(5, 0)], 1],
    ["a pool is as full as its emptiest endpoint", {}, [full, used(2, 0)], 0.4],
    ["an endpoint without metrics is not full", {}, [{}, used(2, 0)], 0.4],
    [
      "an endpoint with missing or stale metrics is not idle",
      {},
      [{}, used(0, 0, 2001), used(5, 0, 2000)],
      1,
    ],
    ["a pool without fresh metrics is not full", {}, [{}, used(9, 0, 2001)], 0],
    [
      "metricsStalenessThreshold sets the maximum age",
      { metricsStalenessThreshold: "1s" },
      [used(5, 0, 1001)],
      0,
    ],
    [
      "queueDepthThreshold sets the queue at which an endpoint is full",
      { queueDepthThreshold: 10 },
      [used(5, 0)],
      0.5,
    ],
  ])("%s", (_, parameters, lives, expected) => {
    expect(saturation(type, parameters, lives)).toBeCloseTo(expected, 12);
  });
});

describe("utilization-detector", () => {
  const type = "utilization-detector";

  it("measures pace by the server's requests, divided by the number with which it keeps the objective", () => {
    const paced = (msBetweenTokens: number, running: number, sent = running) => ({
      metrics: metrics({ runningRequests: running }),
      runningRequests: sent,
      msBetweenTokens,
    });
    const full = (...of: Parameters<typeof paced>) =>
      saturation(type, { msBetweenTokensThreshold: 25 }, [paced(...of)]);
    // The aim is 0.92 of 25 ms.
    expect(full(23, 10)).toBeCloseTo(1);
    expect(full(46, 10)).toBeCloseTo(2);
    expect(full(11.5, 10, 20)).toBeCloseTo(1);
    expect(full(0, 10)).toBe(0);
    // The only response is slowed by its own prompt.
    expect(full(100, 1)).toBeCloseTo(0.5);
    expect(saturation(type, {}, [paced(1_000, 10)])).toBe(0);
  });

  it.each([
    ["a pool without endpoints is full", {}, [], 1],
    ["an endpoint without metrics is full", {}, [{}], 1],
    ["an idle endpoint has saturation 0", {}, [used(0, 0)], 0],
    ["the queue counts", {}, [used(2, 0)], 0.4],
    ["the KV cache counts", {}, [used(0, 0.4)], 0.5],
    ["the higher of both counts", {}, [used(1, 0.6)], 0.6 / 0.8],
    ["saturation may exceed 1", {}, [used(20, 0)], 4],
    ["a pool has the mean of its endpoints", {}, [used(0, 0), used(5, 0), used(10, 0), {}], 1],
    ["metrics count up to the maximum age", {}, [used(0, 0, 200)], 0],
    ["an endpoint with stale metrics is full", {}, [used(0, 0, 201)], 1],
    [
      "metricsStalenessThreshold sets the maximum age",
      { metricsStalenessThreshold: "1s" },
      [used(0, 0, 1000)],
      0,
    ],
    [
      "thresholds are configurable",
      { queueDepthThreshold: 10, kvCacheUtilThreshold: 0.5 },
      [used(5, 0), used(0, 0.5)],
      0.75,
    ],
    ["headroom does not count", { headroom: 1 }, [used(5, 0)], 1],
  ])("%s", (_, parameters, lives, expected) => {
    expect(saturation(type, parameters, lives)).toBeCloseTo(expected as number, 12);
  });

  it.each([
    ["endpoints below the thresholds", {}, [used(4, 0.7), used(5, 0), used(0, 0.8)], ["a"]],
    [
      "endpoints within the headroom",
      { headroom: 0.2 },
      [used(5, 0), used(6, 0), used(0, 0.9)],
      ["a", "c"],
    ],
    [
      "no endpoint without fresh metrics, whatever the headroom",
      { headroom: 9 },
      [used(9, 0), {}, used(0, 0, 201)],
      ["a"],
    ],
    ["all endpoints if none passes", {}, [used(9, 0), {}], ["a", "b"]],
  ])("utilization-detector as a filter keeps %s", (_, parameters, lives, expected) => {
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
    ["a pool without endpoints is full", {}, [], 1],
    ["a pod is full at 100 requests by default", {}, [load(50), load(0)], 0.25],
    [
      "a pod is full at a million tokens by default",
      { concurrencyMode: "tokens" },
      [load(0, 250_000)],
      0.25,
    ],
    ["requests count in mode requests", small, [load(10, 9000), load(5)], 0.75],
    [
      "tokens count in mode tokens",
      { ...small, concurrencyMode: "tokens" },
      [load(99, 500), load(99, 1000)],
      0.75,
    ],
    ["saturation may exceed 1", small, [load(30)], 3],
    [
      "the higher of both counts per pod in mode hybrid",
      { ...small, concurrencyMode: "hybrid" },
      [load(10, 0), load(0, 1000)],
      1,
    ],
    ["headroom does not count", { ...small, headroom: 1 }, [load(10)], 1],
  ])("%s", (_, parameters, lives, expected) => {
    expect(saturation(type, parameters, lives)).toBe(expected);
  });

  it.each([
    ["pods below the limit", small, [load(9), load(10), load(11)], ["a"]],
    ["no pod if all are full", small, [load(10), load(11)], []],
    [
      "pods within whole requests of headroom",
      { ...small, headroom: 0.25 },
      [load(11), load(12)],
      ["a"],
    ],
    [
      "pods below the token limit",
      { ...small, concurrencyMode: "tokens" },
      [load(99, 999), load(0, 1000)],
      ["a"],
    ],
    [
      "pods below both limits",
      { ...small, concurrencyMode: "hybrid" },
      [load(9, 1000), load(10, 0), load(9, 999)],
      ["c"],
    ],
  ])("concurrency-detector as a filter keeps %s", (_, parameters, lives, expected) => {
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
