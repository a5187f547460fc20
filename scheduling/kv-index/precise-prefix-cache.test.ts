import { describe, expect, it } from "vitest";
import { endpointsWith, metrics, newPrefixCache, request } from "../cycles.fixture.ts";
import type { Endpoint, LiveState, SentPrompt } from "../endpoints/endpoint.ts";
import type { SchedulingRequest } from "../requests/request.ts";
import type { EventStream } from "./event-stream.ts";
import type { BlockStored } from "./kv-event.ts";
import { KvIndex } from "./kv-index.ts";
import { type PreciseOptions, PrecisePrefixCache } from "./precise-prefix-cache.ts";

const options: PreciseOptions = { weights: [1, 0.5, 0], isSpeculative: true };

const prompt = [1, 2, 3, 4, 5, 6, 7, 8, 9];

function stored(tokens: readonly number[], change: Partial<BlockStored> = {}): BlockStored {
  const { blockSize = 2 } = change;
  const hashes = Array.from({ length: tokens.length / blockSize }, (_, at) => 100 + at);
  return {
    ...{ type: "stored", hashes, parent: undefined, tokens, blockSize, adapter: "" },
    ...{ extra: undefined, tier: "gpu", group: { index: 0, kind: undefined } },
    ...change,
  };
}

/** Event stream of the endpoint's only rank. */
const streamOf = ({ index }: { readonly index: KvIndex }, endpoint: Endpoint): EventStream =>
  index.streams(endpoint)[0] as EventStream;

/** A cache, and endpoints with one event each; undefined for an endpoint that is not connected. */
function cacheOf(
  lives: ReadonlyArray<Partial<LiveState>>,
  ...events: ReadonlyArray<BlockStored | undefined>
) {
  const index = new KvIndex({ seed: 7, replays: false });
  const endpoints = endpointsWith(...lives);
  endpoints.forEach((endpoint, at) => {
    const event = events[at];
    if (event === undefined) return;
    const stream = streamOf({ index }, endpoint);
    stream.connected();
    stream.message(0, { events: [event], unknown: 0 });
  });
  return { index, endpoints, cache: new PrecisePrefixCache(index, newPrefixCache(), options) };
}

const asked = (change: Partial<SchedulingRequest> = {}): SchedulingRequest => ({
  ...request({ prompts: ["x".repeat(1024)] }),
  tokens: [prompt],
  ...change,
});

const matched = (
  { cache, endpoints }: Pick<ReturnType<typeof cacheOf>, "cache" | "endpoints">,
  change: Partial<SchedulingRequest> = {},
) => {
  const match = cache.match(asked(change), endpoints);
  return endpoints.map((endpoint) => [
    match.matchedBlocks(endpoint),
    match.uncachedTokens(endpoint),
    match.source(endpoint),
  ]);
};

describe("PrecisePrefixCache", () => {
  it("uses the events of each server", () => {
    const given = cacheOf([{}, {}], stored([1, 2, 3, 4]), stored([1, 2, 3, 4, 5, 6, 7, 8]));
    expect(matched(given)).toEqual([
      [2, 5, "events"],
      [4, 1, "events"],
    ]);
  });

  it("uses the estimate for a server without events, in the same block size", () => {
    const given = cacheOf([{}, {}, {}], stored([1, 2]));
    const [, second] = given.endpoints;
    given.cache.insert(given.cache.match(asked(), given.endpoints), second as Endpoint);
    expect(matched(given)).toEqual([
      [1, 7, "events"],
      [4, 1, "estimate"],
      [0, 9, "estimate"],
    ]);
  });

  it("uses the estimate for all servers if the tokens are unknown", () => {
    const given = cacheOf([{}], stored([1, 2]));
    expect(matched(given, { tokens: undefined })).toEqual([[0, 256, "estimate"]]);
  });

  it("counts in blocks of the size that most servers have", () => {
    const given = cacheOf(
      [{}, {}, {}],
      stored([1, 2, 3, 4]),
      stored([1, 2, 3, 4, 5, 6, 7, 8], { blockSize: 4 }),
      stored([1, 2]),
    );
    expect(matched(given).map(([blocks]) => blocks)).toEqual([2, 4, 1]);
  });

  it.each<[string, Partial<LiveState>, string, number]>([
    ["the name of the base model", { metrics: metrics({ servedModel: "m" }) }, "m", 2],
    ["another name of the base model", { metrics: metrics({ servedModel: "m" }) }, "other", 2],
    ["no known names", {}, "m", 2],
    [
      "an adapter without stored blocks",
      { metrics: metrics({ servedModel: "m", maxActiveModels: 2 }) },
      "sql",
      0,
    ],
  ])("keeps adapters apart: %s", (_, live, targetModel, expected) => {
    const given = cacheOf([live], stored([1, 2, 3, 4]));
    expect(matched(given, { targetModel })[0]?.[0]).toBe(expected);
  });

  it("recognizes an adapter by its events", () => {
    const given = cacheOf([{}], stored([1, 2, 3, 4], { adapter: "sql" }));
    expect(matched(given, { targetModel: "sql" })[0]?.[0]).toBe(2);
    expect(matched(given, { targetModel: "m" })[0]?.[0]).toBe(0);
  });

  it("keeps cache salts apart", () => {
    const given = cacheOf([{}], stored([1, 2, 3, 4], { extra: [["abc"], undefined] }));
    const { payload } = asked();
    expect(matched(given)[0]?.[0]).toBe(0);
    expect(matched(given, { payload: { ...payload, cacheSalt: "abc" } })[0]?.[0]).toBe(2);
  });

  it("does not disclose to an owner the prompts of other owners", () => {
    const given = cacheOf([{}], stored([1, 2, 3, 4]));
    const match = given.cache.match(asked({ owner: "team" }), given.endpoints);
    expect(match.ownBlocks(given.endpoints[0] as Endpoint)).toBe(0);
  });

  it.each<[string, (stream: EventStream) => void]>([
    [
      "was reset",
      (stream) => void stream.message(1, { events: [{ type: "cleared" }], unknown: 0 }),
    ],
    [
      "restarts",
      (stream) => {
        stream.disconnected();
        stream.connected();
      },
    ],
  ])("treats the cache of an engine that %s as empty, whatever was sent to it", (_, end) => {
    const given = cacheOf([{}], stored([1, 2, 3, 4]));
    const [endpoint] = given.endpoints as unknown as [Endpoint];
    given.cache.insert(given.cache.match(asked(), given.endpoints), endpoint);
    end(streamOf(given, endpoint));
    expect(given.index.isSubscribed).toBe(true);
    expect(matched(given)).toEqual([[0, 9, "events"]]);
  });

  it("uses the new block size of an engine that restarts", () => {
    const given = cacheOf([{}], stored([1, 2, 3, 4]));
    const stream = streamOf(given, given.endpoints[0] as Endpoint);
    stream.connected();
    const event = stored([1, 2, 3, 4], { blockSize: 4 });
    stream.message(0, { events: [event], unknown: 0 });
    expect(matched(given)).toEqual([[1, 5, "events"]]);
  });

  it("counts the mean of the ranks behind an address once all of them are connected", () => {
    const index = new KvIndex({ seed: 7, replays: false, ranks: 2 });
    const endpoints = endpointsWith({});
    const given = {
      ...{ index, endpoints },
      cache: new PrecisePrefixCache(index, newPrefixCache(), options),
    };
    const [first, second] = index.streams(endpoints[0] as Endpoint) as [EventStream, EventStream];
    first.connected();
    first.message(0, { events: [stored([1, 2, 3, 4, 5, 6, 7, 8])], unknown: 0 });
    expect(matched(given)[0]?.[2]).toBe("estimate");
    second.connected();
    expect(matched(given)).toEqual([[2, 5, "events"]]);
    second.message(0, { events: [stored([1, 2, 3, 4])], unknown: 0 });
    expect(matched(given)).toEqual([[3, 3, "events"]]);
    expect(given.cache.size).toBe(6);
    second.disconnected();
    expect(index.state(endpoints[0] as Endpoint)).toBe("down");
    expect(matched(given)[0]?.[2]).toBe("estimate");
  });

  describe("with prompts in flight", () => {
    const send = (
      { cache, endpoints }: Pick<ReturnType<typeof cacheOf>, "cache" | "endpoints">,
      at: number,
      tokens: readonly number[] = prompt,
    ): SentPrompt => {
      const endpoint = endpoints[at] as Endpoint;
      const sent: SentPrompt = { promptTokens: tokens.length };
      endpoint.live.prompts.add(sent);
      cache.insert(cache.match(asked({ tokens: [tokens] }), endpoints), endpoint, 0, sent);
      return sent;
    };

    it("counts the common prefix of a prompt as cached on its endpoint until the response begins", () => {
      const given = cacheOf([{}, {}], stored([1, 2]), stored([1, 2]));
      const sent = send(given, 1, [1, 2, 3, 4, 5, 6, 0, 0, 0]);
      expect(matched(given)).toEqual([
        [1, 7, "events"],
        [3, 3, "events"],
      ]);
      given.endpoints[1]?.live.prompts.delete(sent);
      expect(matched(given).map(([blocks]) => blocks)).toEqual([1, 1]);
    });

    it("counts the prompt with the longest common prefix, and at least the stored blocks", () => {
      const given = cacheOf([{}], stored([1, 2, 3, 4]));
      send(given, 0, [1, 2, 0, 0, 0]);
      expect(matched(given)[0]?.[0]).toBe(2);
      send(given, 0);
      send(given, 0, [1, 2, 3, 4, 5, 6, 0]);
      expect(matched(given)[0]?.[0]).toBe(4);
      expect(matched(given, { tokens: [[9, 9, 9, 9, 9]] })[0]?.[0]).toBe(0);
      expect(matched(given, { tokens: [[1]] })[0]?.[0]).toBe(0);
    });

    it("keeps cache salts apart", () => {
      const given = cacheOf([{}], stored([1, 2]));
      send(given, 0);
      const { payload } = asked();
      expect(matched(given, { payload: { ...payload, cacheSalt: "abc" } })[0]?.[0]).toBe(0);
    });

    it("uses the estimate for a prompt sent before the endpoint was connected, unless its tokens are unknown", () => {
      const given = cacheOf([{}]);
      const [endpoint] = given.endpoints as unknown as [Endpoint];
      const sent = send(given, 0);
      const stream = streamOf(given, endpoint);
      stream.connected();
      stream.message(0, { events: [stored([9, 9])], unknown: 0 });
      expect(matched(given)).toEqual([[4, 1, "events"]]);
      endpoint.live.prompts.delete(sent);
      expect(matched(given)).toEqual([[0, 9, "events"]]);
      const pictures: SentPrompt = { promptTokens: 9 };
      endpoint.live.prompts.add(pictures);
      const match = given.cache.match(asked({ tokens: undefined }), given.endpoints);
      given.cache.insert(match, endpoint, 0, pictures);
      expect(matched(given)).toEqual([[0, 9, "events"]]);
    });

    it("does not change an earlier match when its own request is sent", () => {
      const given = cacheOf([{}], stored([1, 2]));
      const [endpoint] = given.endpoints as unknown as [Endpoint];
      given.cache.insert(given.cache.match(asked(), given.endpoints), endpoint);
      const match = given.cache.match(asked(), given.endpoints);
      expect(match.matchedBlocks(endpoint)).toBe(1);
      endpoint.live.prompts.add({ promptTokens: 9 });
      expect(match.matchedBlocks(endpoint)).toBe(1);
    });

    it("counts a prompt as cached on one of several ranks", () => {
      const index = new KvIndex({ seed: 7, replays: false, ranks: 2 });
      const endpoints = endpointsWith({});
      const given = { endpoints, cache: new PrecisePrefixCache(index, newPrefixCache(), options) };
      for (const stream of index.streams(endpoints[0] as Endpoint)) {
        stream.connected();
        stream.message(0, { events: [stored([1, 2])], unknown: 0 });
      }
      send(given, 0);
      expect(matched(given)[0]?.[0]).toBe(2);
    });

    it("ignores them if the configuration is not speculative", () => {
      const given = cacheOf([{}], stored([1, 2]));
      const cache = new PrecisePrefixCache(given.index, newPrefixCache(), {
        ...options,
        isSpeculative: false,
      });
      send({ ...given, cache }, 0);
      expect(matched({ ...given, cache })[0]?.[0]).toBe(1);
    });
  });

  it("counts a share of unknown tokens as sent to the preferred endpoint by other replicas, and no cached tokens", () => {
    const given = cacheOf([{}, {}], stored([1, 2]), stored([9, 9]));
    const cache = new PrecisePrefixCache(given.index, newPrefixCache({}, { count: 3 }), options);
    const uncached = (tokens: readonly number[]) => {
      const match = cache.match(asked({ tokens: [tokens] }), given.endpoints);
      return given.endpoints.map((each) => match.uncachedTokens(each));
    };
    const long = Array.from({ length: 400 }, (_, at) => 100 + at);
    // The estimate has four blocks of 64 tokens, and three quarters of them count.
    expect(uncached(long).sort((a, b) => a - b)).toEqual([400 - 192, 400]);
    // One endpoint has all tokens but the last one, which no endpoint has.
    const stream = streamOf(given, given.endpoints[0] as Endpoint);
    stream.message(1, { events: [stored([1, 2, ...prompt.slice(2, 8)])], unknown: 0 });
    expect(uncached(prompt).map((tokens) => tokens <= 1 || tokens >= 8)).toEqual([true, true]);
  });

  it("forgets a server that has left, and trusts a server only while it is connected", () => {
    const given = cacheOf([{}, {}], stored([1, 2]), stored([1, 2]));
    const [first, second] = given.endpoints as unknown as [Endpoint, Endpoint];
    given.cache.retain([first]);
    expect(given.cache.size).toBe(1);
    expect(matched(given).map(([, , source]) => source)).toEqual(["events", "estimate"]);
    streamOf(given, first).disconnected();
    expect(matched(given).map(([, , source]) => source)).toEqual(["estimate", "estimate"]);
    expect(given.index.state(second)).toBe("down");
  });
});
