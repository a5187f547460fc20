import { describe, expect, it } from "vitest";
import {
  blocks,
  cycleOf,
  endpointsOf,
  endpointsWith,
  metrics,
  newPrefixCache,
  pluginOf,
  scoresOf,
  stale,
} from "../../cycles.fixture.ts";
import type { LiveState } from "../../endpoints/endpoint.ts";

const type = "prefill-cost-scorer";

/** Returns the scores of pods with these live states, for a prompt that no pod has cached. */
const scores = (parameters: object, prompt: string, ...lives: Array<Partial<LiveState>>) =>
  scoresOf(
    pluginOf(type, parameters),
    cycleOf(endpointsWith(...lives), { prompts: prompt === "" ? [] : [prompt] }),
  );

describe("prefill-cost-scorer", () => {
  it("scores idle endpoints equally, with or without a prompt", () => {
    expect(scores({}, "", {}, {})).toEqual([1, 1]);
    expect(scores({}, blocks(4), {}, {})).toEqual([1, 1]);
  });

  it("counts the tokens of earlier requests", () => {
    // A prompt of 4 blocks of 64 tokens costs 1 + 2 * 4 grains; 256 tokens ahead of it are 4 more.
    expect(scores({}, blocks(4), {}, { runningTokens: 256 })).toEqual([1, 9 / 13]);
  });

  it("does not count the computed part of earlier prompts", () => {
    const busy = { runningTokens: 512 };
    expect(scores({}, "", { ...busy, computedTokens: 256 }, busy)).toEqual([1, 5 / 9]);
  });

  it("multiplies the cost of prompts by the server's slowness, and adds its longer step", () => {
    const busy = { runningTokens: 256 };
    // 256 tokens ahead cost 4 grains, or 8 at half the speed; the slow server's longer step adds 2.
    expect(scores({}, "", busy, { ...busy, slowness: 2 })).toEqual([1, 5 / 11]);
  });

  it("counts requests once whatever the server's slowness, because a slow server already has more of them", () => {
    const there = { runningRequests: 4 };
    expect(scores({}, "", there, { ...there, slowness: 2 })).toEqual([1, 5 / 7]);
  });

  it("gives endpoints that are down a score of 0", () => {
    expect(scores({}, blocks(4), { isDown: true }, { runningTokens: 4_096 })).toEqual([0, 1]);
    expect(scores({}, "", { isDown: true }, { isDown: true })).toEqual([0, 0]);
  });

  it("counts the requests that the picker or the server knows of, whichever are more", () => {
    const told = metrics({ runningRequests: 3 });
    expect(scores({}, "", { metrics: metrics() }, { runningRequests: 1, metrics: told })).toEqual([
      1,
      1 / 4,
    ]);
    expect(scores({}, "", { metrics: metrics() }, { runningRequests: 5, metrics: told })).toEqual([
      1,
      1 / 6,
    ]);
  });

  it("counts waiting requests as waiting for a slot if few prompt tokens are ahead", () => {
    const told = metrics({ runningRequests: 2, waitingRequests: 1 });
    const cost = (runningTokens: number) =>
      1 / (scores({}, "", { metrics: metrics() }, { runningTokens, metrics: told })[1] as number);
    // Each of the three requests is a grain, 64 tokens ahead are one, and 2,048 tokens are 32.
    expect(cost(960)).toBeCloseTo(1 + 3 + 15 + 32);
    expect(cost(1_024)).toBeCloseTo(1 + 3 + 16);
  });

  it("counts the time until a slot is free for each request beyond the server's maximum", () => {
    const cost = (runningRequests: number, live: Partial<LiveState> = {}) => {
      const there = {
        runningRequests,
        metrics: metrics({ runningRequests }),
        maxConcurrentRequests: 8,
      };
      return 1 / (scores({}, "", { metrics: metrics() }, { ...there, ...live })[1] as number);
    };
    expect(cost(7)).toBeCloseTo(1 + 7);
    // Without data a slot costs 2,048 tokens, or 32 grains. A token initially takes 0.1 ms.
    expect(cost(8)).toBeCloseTo(1 + 8 + 32);
    expect(cost(9)).toBeCloseTo(1 + 9 + 2 * 32);
    expect(cost(8, { msUntilSlot: 64 })).toBeCloseTo(1 + 8 + 10);
    expect(cost(8, { runningTokens: 1_024 })).toBeCloseTo(1 + 8 + 16);
  });

  it("counts a slot if the KV cache has no space for the prompt besides the running requests", () => {
    const cost = (kvCacheUsage: number, live: Partial<LiveState> = {}) => {
      const told = metrics({ kvCacheUsage, cacheBlocks: 64, cacheBlockSize: 16 });
      const [, score] = scores({}, blocks(4), { metrics: metrics() }, { metrics: told, ...live });
      return (1 + 8) / (score as number);
    };
    // A slot is 2,048 tokens, or 32 grains, and the prompt takes 256 of the 1,024 tokens.
    expect(cost(0.75)).toBeCloseTo(1 + 8);
    expect(cost(0.76)).toBeCloseTo(1 + 8 + 32);
    expect(cost(0.5, { runningTokens: 256 })).toBeCloseTo(1 + 8 + 4);
    expect(cost(0.5, { runningTokens: 320 })).toBeCloseTo(1 + 8 + 5 + 32);
    expect(cost(0.5, { runningTokens: 192, externalTokens: 128 })).toBeCloseTo(1 + 8 + 5 + 32);
  });

  it("counts slots by the requests that the server reports, if the picker does not observe its own", () => {
    const reading = { sentBefore: 10, prefillingBefore: 0, external: 0, externalNow: 0 };
    const left = { runningRequests: 10, unobservedRequests: 10, sentRequests: 10, reading };
    const there = { ...left, metrics: metrics({ runningRequests: 6 }), maxConcurrentRequests: 8 };
    const [, score] = scores({}, "", { metrics: metrics() }, there);
    expect(1 / (score as number)).toBeCloseTo(1 + 10);
  });

  it("treats a server with stale or missing metrics as neither idle nor full", () => {
    const busy = (runningRequests: number) => ({ metrics: metrics({ runningRequests }) });
    expect(scores({}, "", busy(0), busy(8), { metrics: stale() }, {})).toEqual([
      1,
      1 / 9,
      1 / 5,
      1 / 5,
    ]);
  });

  it("compares a server without metrics with requests that are on their way to the others", () => {
    const sent = { runningRequests: 4, metrics: metrics() };
    expect(scores({}, "", sent, sent, {})).toEqual([1, 1, 1]);
  });

  it("treats costs that differ by less than 64 tokens as equal", () => {
    expect(scores({}, "", { runningTokens: 0 }, { runningTokens: 63 })).toEqual([1, 1]);
  });

  it("prefers the endpoint with the prefix until waiting costs more than recomputing it", () => {
    const [warm, cold] = endpointsOf("warm", "cold");
    const cache = newPrefixCache();
    const cycle = () => cycleOf([warm, cold], { prompts: [blocks(10)] });
    cache.insert(cycle().prefix(cache), warm);
    const plugin = pluginOf(type, {}, { cache });
    const [onWarm = 0, onCold = 0] = scoresOf(plugin, cycle());
    expect(onWarm).toBeGreaterThan(onCold);
    // The 640 tokens of the prompt count double.
    warm.live.runningTokens = 1_200;
    expect(scoresOf(plugin, cycle())[0]).toBe(1);
    warm.live.runningTokens = 1_400;
    expect(scoresOf(plugin, cycle())[1]).toBe(1);
  });

  it("copies a shared prefix later if fewer requests arrive, or if it is slower to compute", () => {
    /** Returns the tokens ahead on the warm endpoint at which the cold one scores higher. */
    const copiedFrom = (perSecond: number, msPerToken = 0.1, running = 0) => {
      const [warm, cold] = endpointsOf("warm", "cold");
      for (const { live } of [warm, cold]) live.runningRequests = running;
      const cache = newPrefixCache();
      const cycle = () => cycleOf([warm, cold], { prompts: [blocks(10)] });
      const plugin = pluginOf(
        type,
        {},
        {
          ...{ cache, perSecond, speeds: { msPerToken } },
        },
      );
      for (let sent = 0; sent < 200; sent += 1) cache.insert(cycle().prefix(cache), warm);
      while ((scoresOf(plugin, cycle())[1] as number) < 1) warm.live.runningTokens += 64;
      return warm.live.runningTokens;
    };
    // Each of the two endpoints gets half of the requests, and at most 40 of four seconds count.
    expect(copiedFrom(0.5)).toBeGreaterThan(copiedFrom(20));
    expect(copiedFrom(200)).toBe(copiedFrom(20));
    expect(copiedFrom(20, 4)).toBe(copiedFrom(0.5));
    expect(copiedFrom(0.5, 0.01)).toBe(copiedFrom(0.5));
    // These requests run for longer than four seconds.
    expect(copiedFrom(0.5, 0.1, 40)).toBe(copiedFrom(20));
  });

  it.each([[{ recomputeFactor: -1 }], [{ requestOverheadTokens: -1 }], [{ unknown: 1 }]])(
    "refuses %j",
    (parameters) => {
      expect(() => pluginOf(type, parameters)).toThrow();
    },
  );
});
