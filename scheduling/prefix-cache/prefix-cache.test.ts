import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import {
  blocks,
  cycleOf,
  endpoint,
  endpointsOf,
  metrics,
  newPrefixCache,
  type RequestChange,
  request,
} from "../cycles.fixture.ts";
import type { Endpoint } from "../endpoints/endpoint.ts";
import type { SchedulingRequest } from "../requests/request.ts";
import { BlockHasher } from "./block-hash.ts";
import type { PrefixCache } from "./prefix-match.ts";

const [a, b] = endpointsOf("a", "b");
const all: readonly Endpoint[] = [a, b];

const matchOf = (cache: PrefixCache, change: RequestChange, endpoints: readonly Endpoint[] = all) =>
  cache.match(request(change), endpoints);

/** Returns the matched blocks and all blocks of a request, after an earlier request was sent to the endpoint. */
function matched(
  first: RequestChange,
  then: RequestChange,
  { parameters = {}, on = a }: { parameters?: object; on?: Endpoint } = {},
) {
  const cache = newPrefixCache(parameters);
  cache.insert(matchOf(cache, first, [on]), on);
  const match = matchOf(cache, then, [on]);
  return [match.matchedBlocks(on), match.totalBlocks];
}

describe("PrefixMatch", () => {
  it.each([
    ["nothing was there", [], [blocks(3)], [0, 3]],
    ["the same", [blocks(3)], [blocks(3)], [3, 3]],
    ["longer", [blocks(3)], [blocks(5)], [3, 5]],
    ["shorter", [blocks(3)], [blocks(2)], [2, 2]],
    ["another beginning", [blocks(3)], [`y${blocks(3)}`], [0, 4]],
    ["another end", [`${blocks(2)}ab`], [`${blocks(2)}ac`], [2, 3]],
    ["the same last part", [`${blocks(2)}ab`], [`${blocks(2)}ab`], [3, 3]],
    ["a longer last part", [`${blocks(2)}ab`], [`${blocks(2)}abcde`], [2, 3]],
    ["several prompts", [blocks(2), blocks(2, "y")], [blocks(3, "y"), blocks(1)], [3, 4]],
    ["the same text as several prompts", [blocks(2)], [blocks(1), blocks(1)], [2, 2]],
    ["an empty prompt", [""], ["", blocks(1)], [0, 1]],
    ["text beyond ASCII", ["ä€😀".repeat(99)], ["ä€😀".repeat(99)], [4, 4]],
  ])("finds the cached blocks: %s", (_, first, then, expected) => {
    expect(matched({ prompts: first }, { prompts: then })).toEqual(expected);
  });

  it("C3: uses the block size that most servers report, within the limits", () => {
    const says = (cacheBlockSize: number) =>
      endpoint(`says-${cacheBlockSize}`, { live: { metrics: metrics({ cacheBlockSize }) } });
    const cache = newPrefixCache({});
    const change = { prompts: [blocks(128)] };
    const blockTokens = (...sizes: number[]) => matchOf(cache, change, sizes.map(says)).blockTokens;
    expect(blockTokens(1_000_000, 128, 128)).toBe(128);
    expect(blockTokens(256, 128, 128)).toBe(128);
    expect(blockTokens(1_000_000)).toBe(blockTokens());
  });

  it("C3: limits the blocks of a server, whatever size the server reports", () => {
    const cache = newPrefixCache({});
    const lying = endpoint("lies", {
      live: { metrics: metrics({ cacheBlocks: Number.MAX_SAFE_INTEGER }) },
    });
    for (let at = 0; at < 1_100; at += 1)
      cache.insert(matchOf(cache, { prompts: [`${at}${blocks(255)}`] }, [lying]), lying);
    expect(cache.size).toBe(262_144);
  });

  it("A7: contains only blocks of the same owner", () => {
    const first = { prompts: [blocks(2)], owner: "team-a/" };
    expect(matched(first, first)).toEqual([2, 2]);
    expect(matched(first, { ...first, owner: "team-b/" })).toEqual([0, 2]);
    expect(matched(first, { ...first, owner: "" })).toEqual([0, 2]);
  });

  it("contains at most 16,384 blocks of a request with any number of prompts", () => {
    const many = Array.from({ length: 1_024 }, (_, at) => `${at}${blocks(20)}`);
    expect(matched({ prompts: many }, { prompts: many })).toEqual([16_384, 16_384]);
  });

  it("contains only blocks of the same model and the same cache salt", () => {
    const prompts = [blocks(2)];
    const first = { prompts, targetModel: "m", cacheSalt: "s" };
    expect(matched(first, first)).toEqual([2, 2]);
    expect(matched(first, { ...first, targetModel: "n" })).toEqual([0, 2]);
    expect(matched(first, { ...first, cacheSalt: "" })).toEqual([0, 2]);
    expect(matched(first, { ...first, targetModel: "ms", cacheSalt: "" })).toEqual([0, 2]);
  });

  it("contains only blocks sent to the same endpoint", () => {
    const cache = newPrefixCache();
    const match = matchOf(cache, { prompts: [blocks(2)] });
    cache.insert(match, a);
    const again = matchOf(cache, { prompts: [blocks(2)] });
    expect([again.matchedBlocks(a), again.matchedBlocks(b)]).toEqual([2, 0]);
    expect(match.matchedBlocks(b)).toBe(0);
  });

  it("has the same blocks and tokens for a list of endpoints as for each of them", () => {
    const prompt = fc.string({ unit: fc.constantFrom(blocks(1), blocks(1, "y")), maxLength: 600 });
    const sent = fc.tuple(fc.array(prompt, { maxLength: 2 }), fc.constantFrom(a, b));
    fc.assert(
      fc.property(fc.array(sent), fc.array(prompt, { maxLength: 2 }), (history, prompts) => {
        const cache = newPrefixCache({});
        for (const [before, on] of history) cache.insert(matchOf(cache, { prompts: before }), on);
        const match = matchOf(cache, { prompts });
        const one = matchOf(cache, { prompts });
        expect([...match.matchedIn(all)]).toEqual(all.map((each) => one.matchedBlocks(each)));
        expect([...match.uncachedIn(all)]).toEqual(all.map((each) => one.uncachedTokens(each)));
      }),
    );
  });

  it("uses the block size of most servers of a large pool, although it checks only some of them", () => {
    const says = (cacheBlockSize: number, at: number) =>
      endpoint(`p${at}`, { live: { metrics: metrics({ cacheBlockSize }) } });
    const pool = Array.from({ length: 1_000 }, (_, at) => says(at % 3 === 0 ? 256 : 128, at));
    const { blockTokens } = matchOf(newPrefixCache({}), { prompts: [blocks(128)] }, pool);
    expect(blockTokens).toBe(128);
  });

  it("does not change when prompts are inserted later", () => {
    const cache = newPrefixCache();
    const match = matchOf(cache, { prompts: [blocks(2)] });
    expect(match.matchedBlocks(a)).toBe(0);
    cache.insert(match, a);
    expect(match.matchedBlocks(a)).toBe(0);
  });

  it("counts uncached tokens in whole blocks, and adds the tokens beyond the limits", () => {
    const cache = newPrefixCache({ maxPrefixTokensToMatch: 128 });
    cache.insert(matchOf(cache, { prompts: [blocks(1)] }), a);
    const uncached = (prompt: string) => {
      const match = matchOf(cache, { prompts: [prompt] });
      return [match.uncachedTokens(a), match.uncachedTokens(b)];
    };
    expect(uncached(blocks(1))).toEqual([0, 64]);
    expect(uncached(`${blocks(1)}y`)).toEqual([64, 128]);
    expect(uncached(blocks(5))).toEqual([256, 320]);
    expect(matchOf(cache, { prompts: [] }).uncachedTokens(a)).toBe(0);
  });
});

describe("ApproxPrefixCache", () => {
  const reporting = (cacheBlockSize: number | undefined, cacheBlocks?: number) =>
    endpoint("t", { live: { metrics: metrics({ cacheBlockSize, cacheBlocks }) } });
  const total = (parameters: object, on: Endpoint, ...prompts: string[]) =>
    matchOf(newPrefixCache(parameters), { prompts }, [on]).totalBlocks;

  it.each([
    ["at least 64 tokens", {}, undefined, 4],
    ["64 although configured smaller", { blockSizeTokens: 32 }, undefined, 4],
    ["as configured", { blockSizeTokens: 128 }, undefined, 2],
    ["as configured by the older name", { blockSize: 128 }, undefined, 2],
    ["the newer name wins", { blockSize: 256, blockSizeTokens: 128 }, undefined, 2],
    ["as the server reports", { blockSizeTokens: 128 }, 256, 1],
    ["64 although the server reports 16", { blockSizeTokens: 128 }, 16, 4],
    ["as configured without autoTune", { blockSizeTokens: 128, autoTune: false }, 256, 2],
  ])("sets the block size: %s", (_, parameters, said, expected) => {
    expect(total(parameters, reporting(said), blocks(4))).toBe(expected);
  });

  it("matches only the configured tokens and blocks of each prompt", () => {
    expect(total({ maxPrefixTokensToMatch: 200 }, a, blocks(9), blocks(2, "y"))).toBe(5);
    expect(total({}, a, blocks(2049))).toBe(2048);
    const parameters = { maxPrefixTokensToMatch: 0, maxPrefixBlocksToMatch: 2 };
    expect(total(parameters, a, blocks(9))).toBe(2);
    expect(total({ maxPrefixTokensToMatch: 0 }, a, blocks(2050))).toBe(2048);
    const unlimited = { maxPrefixTokensToMatch: 0, maxPrefixBlocksToMatch: 0 };
    expect(total(unlimited, a, blocks(2050))).toBe(2050);
  });

  it.each([
    ["as many as configured", { lruCapacityPerServer: 3 }, a, 3],
    ["as many as the server has", { lruCapacityPerServer: 3 }, reporting(undefined, 5), 5],
    ["all blocks that fit if the server's blocks are smaller", {}, reporting(16, 20), 5],
    ["all blocks that fit if the server counts single tokens", {}, reporting(1, 320), 5],
    ["3 without autoTune", { lruCapacityPerServer: 3, autoTune: false }, reporting(64, 5), 3],
  ])("keeps the first blocks of a prompt: %s", (_, parameters, on, expected) => {
    expect(matched({ prompts: [blocks(9)] }, { prompts: [blocks(9)] }, { parameters, on })).toEqual(
      [expected, 9],
    );
  });

  it("follows a server that reports fewer blocks than before", () => {
    const on = reporting(undefined, 5);
    const cache = newPrefixCache();
    cache.insert(matchOf(cache, { prompts: [blocks(5)] }, [on]), on);
    on.live.metrics = metrics({ cacheBlocks: 2 });
    cache.insert(matchOf(cache, { prompts: [blocks(1)] }, [on]), on);
    expect(matchOf(cache, { prompts: [blocks(5)] }, [on]).matchedBlocks(on)).toBe(2);
    expect(cache.size).toBe(2);
  });
});

it("ApproxPrefixCache forgets endpoints that have left, and recreated pods", () => {
  const cache = newPrefixCache();
  const prompts = [blocks(2)];
  for (const each of all) cache.insert(matchOf(cache, { prompts }), each);
  expect(cache.size).toBe(4);
  const anew = endpoint("b");
  cache.retain([a, anew]);
  expect(cache.size).toBe(2);
  const match = matchOf(cache, { prompts }, [a, anew]);
  expect([match.matchedBlocks(a), match.matchedBlocks(anew)]).toEqual([2, 0]);
});

/**
 * Reference model: the texts sent to a server, the oldest evicted first. `matched` returns the longest run from the
 * start.
 */
class Model {
  readonly capacity: number;
  texts: string[] = [];

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  /** A block is the whole text up to its end. */
  insert(prompt: string) {
    for (let length = prompt.length; length > 0; length -= 1) {
      const text = prompt.slice(0, length);
      this.texts = [...this.texts.filter((each) => each !== text), text].slice(-this.capacity);
    }
  }

  matched(prompt: string) {
    let run = 0;
    while (run < prompt.length && this.texts.includes(prompt.slice(0, run + 1))) run += 1;
    return run;
  }
}

describe("ApproxPrefixCache compared with a model that keeps whole texts", () => {
  const prompt = fc.array(fc.constantFrom("a", "b"), { minLength: 1, maxLength: 6 });
  const steps = fc.array(fc.record({ prompt, to: fc.constantFrom(a, b) }), { maxLength: 40 });
  /** A letter of the reference model is a block here. */
  const wide = (letters: readonly string[]) => letters.map((letter) => blocks(1, letter)).join("");

  it("finds the longest prefix, and never exceeds its capacity", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), steps, prompt, (capacity, given, asked) => {
        const cache = newPrefixCache({ lruCapacityPerServer: capacity });
        const models = new Map(all.map((each) => [each, new Model(capacity)]));
        for (const step of given) {
          cache.insert(cycleOf(all, { prompts: [wide(step.prompt)] }).prefix(cache), step.to);
          models.get(step.to)?.insert(step.prompt.join(""));
          expect(cache.size).toBeLessThanOrEqual(2 * capacity);
        }
        const match = matchOf(cache, { prompts: [wide(asked)] });
        for (const [each, model] of models)
          expect(match.matchedBlocks(each)).toBe(model.matched(asked.join("")));
      }),
    );
  });
});

describe("ApproxPrefixCache.copyCosts", () => {
  const terms = { requests: 40, most: 2, least: 1 / 8 };

  /**
   * Sends three prompts of two blocks in turn to two servers, and then another prompt to both. Returns its penalties.
   */
  function rentsOf(lruCapacityPerServer: number) {
    const cache = newPrefixCache({ lruCapacityPerServer });
    const send = (prompt: string, endpoint: Endpoint) =>
      cache.insert(matchOf(cache, { prompts: [blocks(2, prompt)] }), endpoint);
    for (let turn = 0; turn < 300; turn += 1)
      send("pqr"[turn % 3] as string, all[turn % 2] as Endpoint);
    for (const endpoint of all) send("s", endpoint);
    return matchOf(cache, { prompts: [blocks(2, "s")] }).copyCosts(all, terms).duplicationPenalties;
  }

  it("charges one of two copies if servers evict blocks that are needed again", () => {
    const rents = [...(rentsOf(2) ?? [])].sort((x, y) => x - y);
    expect(rents).toEqual([0, expect.any(Number)]);
    expect(rents[1]).toBeGreaterThan(0);
  });

  it("charges no duplication penalty if the caches have space", () => {
    expect(rentsOf(100)).toBeUndefined();
  });
});

describe("evictsWorkingSet", () => {
  const capacity = 64;
  const busy = (pod: string, runningRequests = 1) =>
    endpoint(pod, {
      live: { runningRequests, metrics: metrics({ cacheBlocks: capacity, cacheBlockSize: 64 }) },
    });
  const session = (name: string, length = 8) => ({ prompts: [blocks(length, name)] });

  /** A cache that 8 sessions have filled on both endpoints, each with a turn a second. */
  function filled(endpoints: readonly Endpoint[]) {
    const cache = newPrefixCache({});
    for (let now = 0; now < 32_000; now += 1_000)
      for (const [at, each] of endpoints.entries()) {
        const turn = session(String.fromCharCode(97 + 10 * at + ((now / 1_000) % 8)));
        cache.insert(cache.match(request(turn), endpoints), each, now);
      }
    return (asked: SchedulingRequest, now: number) =>
      cache.evictsWorkingSet?.(asked, endpoints, now);
  }

  it("is true for a cold prompt while all caches are full of prefixes that are used again", () => {
    const evicts = filled([busy("p"), busy("q")]);
    expect(evicts(request(session("z")), 32_000)).toBe(true);
  });

  it("hashes the prompt of a waiting request once", () => {
    const hash = vi.spyOn(BlockHasher.prototype, "block");
    const evicts = filled([busy("p"), busy("q")]);
    const waiting = request(session("z"));
    hash.mockClear();
    for (let check = 0; check < 100; check += 1) evicts(waiting, 32_000);
    expect(hash).toHaveBeenCalledTimes(8);
    hash.mockRestore();
  });

  it.each<readonly [string, readonly Endpoint[], RequestChange, number]>([
    ["a prompt that is mostly cached", [busy("p"), busy("q")], session("a"), 32_000],
    ["prefixes that have not been used for long", [busy("p"), busy("q")], session("z"), 120_000],
    ["a prompt that takes little of the caches", [busy("p"), busy("q")], session("z", 1), 32_000],
  ])("is false for %s", (_, endpoints, change, now) => {
    expect(filled(endpoints)(request(change), now)).toBe(false);
  });
});
