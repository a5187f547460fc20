import { afterEach, beforeEach, expect, it, type MockInstance, vi } from "vitest";
import { endpoint, endpointsOf, metrics, newPrefixCache, request } from "./cycles.fixture.ts";
import type { Endpoint } from "./endpoints/endpoint.ts";
import { KvIndex } from "./kv-index/kv-index.ts";
import { PrecisePrefixCache } from "./kv-index/precise-prefix-cache.ts";
import { BlockHasher } from "./prefix-cache/block-hash.ts";
import type { PrefixCache } from "./prefix-cache/prefix-match.ts";
import { ProfileScheduler } from "./profiles/profile-scheduler.ts";
import { RecentRate } from "./recent-rate.ts";
import type { SchedulingRequest } from "./requests/request.ts";
import { silentObserver } from "./scheduling-observer.ts";
import { ServerModels } from "./server-model/server-models.ts";

/** Requests whose prompts are hashed in slices before they are scheduled. */

const endpoints = endpointsOf("a", "b");
const [a] = endpoints;
const options = { maxPrefixTokensToMatch: 1_048_576 };
const estimate = (blockSizeTokens: number) =>
  newPrefixCache({ ...options, autoTune: false, blockSizeTokens });
const precise = (blockSizeTokens: number) =>
  new PrecisePrefixCache(
    new KvIndex({ seed: 7, replays: false, ranks: 1 }),
    estimate(blockSizeTokens),
    { weights: [1], isSpeculative: false },
  );

function prepare(asked: SchedulingRequest, ...caches: readonly PrefixCache[]): number {
  const scheduler = new ProfileScheduler({
    ...{ parsers: [], profiles: [], preRequestHooks: [], staleAfterMs: 0 },
    handler: { handle: () => ({ primary: undefined, prefillers: [], headers: [] }) },
    detector: { saturation: () => 0 },
    prefixCaches: caches.map((cache) => ({ cache, plugin: { type: "cache", name: "cache" } })),
    ...{ servers: new ServerModels(), arrivals: new RecentRate(), observer: silentObserver },
  });
  return [...scheduler.prepare(asked, endpoints)].length;
}

/** More text than the picker hashes of one request. */
const long = () => request({ prompts: ["a 😀".repeat(400_000), "b".repeat(3_000_000), "", "c"] });

let hash: MockInstance;
beforeEach(() => {
  hash = vi.spyOn(BlockHasher.prototype, "block");
});
afterEach(() => {
  hash.mockRestore();
});

it.each([
  ["estimate", estimate],
  ["index of KV events", precise],
])("each cache matches a prepared request without hashing it again: %s", (_, newCache) => {
  const caches = [newCache(64), newCache(128)];
  for (const cache of caches) cache.insert(cache.match(long(), endpoints), a);
  const expected = caches.map((cache) => cache.match(long(), endpoints).totalBlocks);
  const asked = long();
  expect(prepare(asked, ...caches)).toBeGreaterThan(2 * 8);
  hash.mockClear();
  const matches = caches.map((cache) => cache.match(asked, endpoints));
  expect(hash).not.toHaveBeenCalled();
  expect(matches.map((match) => match.totalBlocks)).toEqual(expected);
  expect(matches.map((match) => match.matchedBlocks(a))).toEqual(expected);
});

it("a prepared request is hashed again if most endpoints report another block size", () => {
  const cache = newPrefixCache(options);
  const reports = (cacheBlockSize: number): Endpoint =>
    endpoint("a", { live: { metrics: metrics({ cacheBlockSize }) } });
  const asked = long();
  prepare(asked, cache);
  expect(cache.match(asked, [reports(128)])).toMatchObject({
    blockTokens: 128,
    totalBlocks: cache.match(long(), [reports(128)]).totalBlocks,
  });
});
