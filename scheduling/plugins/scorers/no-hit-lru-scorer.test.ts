import { describe, expect, it } from "vitest";
import {
  blocks,
  cycleOf,
  endpointsOf,
  newPrefixCache,
  pluginOf,
  scoresOf,
} from "../../cycles.fixture.ts";
import type { Endpoint } from "../../endpoints/endpoint.ts";

const [a, b, c, d, e] = endpointsOf("a", "b", "c", "d", "e");
const all = [a, b, c, d, e];

/** Returns the scorer with its cache. Every request has a different prompt unless one is given. */
function rig(parameters: object = {}) {
  const cache = newPrefixCache();
  const plugin = pluginOf("no-hit-lru-scorer", parameters, { cache });
  let serial = 0;
  const cycle = (prompts = [blocks(1, String.fromCharCode(0x4e00 + serial++))]) =>
    cycleOf(all, { prompts });
  return {
    cache,
    cycle,
    scores: (among: readonly Endpoint[] = all, given = cycle()) => scoresOf(plugin, given, among),
    /** Scores and sends a request. */
    send(to: Endpoint, prefillers: readonly Endpoint[] = [], given = cycle(), among = all) {
      scoresOf(plugin, given, among);
      plugin.preRequestHook?.preRequest(given, to, prefillers);
    },
    preRequest: (to: Endpoint) => plugin.preRequestHook?.preRequest(cycle(), to, []),
  };
}

describe("a cold request", () => {
  it("scores unused endpoints in their order", () => {
    expect(rig().scores()).toEqual([1, 0.75, 0.5, 0.25, 0]);
  });

  it("scores a single endpoint 1", () => {
    expect(rig().scores([c])).toEqual([1]);
  });

  it("prefers endpoints that were never used, then the least recently used", () => {
    const { send, scores } = rig();
    send(c);
    send(a);
    // Endpoints b, d and e were never used, then c was used, then a.
    expect(scores()).toEqual([0, 1, 0.25, 0.75, 0.5]);
    send(c);
    expect(scores()).toEqual([0.25, 1, 0, 0.75, 0.5]);
  });

  it("ranks only the endpoints that are scored", () => {
    const { send, scores } = rig();
    for (const to of [a, b, c, d, e]) send(to);
    expect(scores([e, d])).toEqual([0, 1]);
  });

  it("counts as a use of prefillers too", () => {
    const { send, scores } = rig();
    send(a, [b]);
    expect(scores([a, b, c])).toEqual([0.5, 0, 1]);
  });

  it("is forgotten beyond lruSize endpoints", () => {
    const { send, scores } = rig({ lruSize: 2 });
    for (const to of [a, b, c]) send(to);
    // Endpoint a counts as never used again.
    expect(scores([b, c, a])).toEqual([0.5, 0, 1]);
  });

  it("is remembered for 1024 endpoints with lruSize 0", () => {
    const { send, scores } = rig({ lruSize: 0 });
    for (const to of [a, b, c]) send(to);
    expect(scores([c, b, a])).toEqual([0, 0.5, 1]);
  });
});

describe("a request that an endpoint has cached", () => {
  const warm = (given = rig()) => {
    const prompts = [blocks(2)];
    given.cache.insert(given.cycle(prompts).prefix(given.cache), b);
    return { ...given, prompts };
  };

  it("scores all endpoints equally", () => {
    const { scores, cycle, prompts } = warm();
    expect(scores(all, cycle(prompts))).toEqual([0.5, 0.5, 0.5, 0.5, 0.5]);
  });

  it("does not count as a use", () => {
    const { scores, cycle, prompts, send } = warm();
    send(a, [], cycle(prompts));
    expect(scores([a, b])).toEqual([1, 0]);
  });

  it("is cold among endpoints that have not cached it", () => {
    const { scores, cycle, prompts, send } = warm();
    expect(scores([a, c], cycle(prompts))).toEqual([1, 0]);
    send(a, [], cycle(prompts), [a, c]);
    expect(scores([a, c])).toEqual([0, 1]);
  });
});

it("no-hit-lru-scorer ignores a request that was not scored", () => {
  const { preRequest, scores } = rig();
  preRequest(a);
  expect(scores([a, b])).toEqual([1, 0]);
});
