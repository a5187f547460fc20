import { describe, expect, it, vi } from "vitest";
import { seeded } from "../../testing/samples/seeded.ts";
import {
  blocks,
  endpoint,
  endpointsOf,
  metrics,
  newPrefixCache,
  now,
  podsOf,
  type RequestChange,
  request,
  staleAfterMs,
} from "../cycles.fixture.ts";
import type { Endpoint } from "../endpoints/endpoint.ts";
import { poolSaturation } from "../endpoints/saturation.ts";
import type { PrefixCache } from "../prefix-cache/prefix-match.ts";
import { RecentRate } from "../recent-rate.ts";
import { silentObserver } from "../scheduling-observer.ts";
import { ServerModels } from "../server-model/server-models.ts";
import type { Filter, Picker, PreRequestHook, ProfileHandler, Scorer } from "./plugin.ts";
import type { Profile } from "./profile.ts";
import { ProfileScheduler, type ProfileSchedulerParts } from "./profile-scheduler.ts";
import { newSchedulingRecord } from "./scheduling-record.ts";

const endpoints = endpointsOf("a", "b", "c");
const [a, b, c] = endpoints;
const chance = { now, random: seeded(1) };

/** Picks all endpoints, the best score first. */
const ranking: Picker = {
  pick: (_, scored) =>
    [...scored].sort((one, other) => other.score - one.score).map(({ endpoint }) => endpoint),
};
const scoring = (scores: Readonly<Record<string, number>>): Scorer => ({
  score: (_, among) => among.map(({ pod }) => scores[pod] ?? 0),
});
const keeping = (...pods: string[]): Filter => ({
  filter: (_, among) => among.filter(({ pod }) => pods.includes(pod)),
});

/** Parts of a profile. Plugins are named by their positions. */
interface Made {
  readonly filters?: readonly Filter[];
  readonly scorers?: ReadonlyArray<{ readonly scorer: Scorer; readonly weight: number }>;
  readonly picker?: Picker;
}

const identity = (type: string, at: number) => ({ type, name: `${type}-${at}` });

const profileOf = (
  name: string,
  { filters = [], scorers = [], picker = ranking }: Made = {},
): Profile => ({
  name,
  filters: filters.map((filter, at) => ({ filter, plugin: identity("filter", at) })),
  scorers: scorers.map((scorer, at) => ({ ...scorer, plugin: identity("scorer", at) })),
  picker,
});

const named = (cache: PrefixCache) => ({
  cache,
  plugin: { type: "approx-prefix-cache-producer", name: "prefixes" },
});

const single: ProfileHandler = {
  handle: (_, run) => ({ primary: run("default"), prefillers: [], headers: [["x-own", "1"]] }),
};

function scheduler(change: Partial<ProfileSchedulerParts> & { profile?: Made } = {}) {
  const { profile, ...parts } = change;
  return new ProfileScheduler({
    parsers: ["openai-parser"],
    profiles: [profileOf("default", profile)],
    handler: single,
    detector: { saturation: (endpoint, at) => at * (endpoint.pod.charCodeAt(0) - 96) },
    preRequestHooks: [],
    prefixCaches: [],
    staleAfterMs,
    servers: new ServerModels(),
    arrivals: new RecentRate(),
    observer: silentObserver,
    ...parts,
  });
}

const schedule = (
  made: ProfileScheduler,
  change: RequestChange = {},
  among: readonly Endpoint[] = endpoints,
) => made.schedule(request(change), among, chance);

describe("B7: a request whose body was not read", () => {
  const unread = (made: ProfileScheduler, among: readonly Endpoint[] = endpoints) =>
    made.scheduleUnread(new Map(), among, { now, random: () => 0.9 });

  it("is sent to any endpoint that passes the filters, whatever its score", () => {
    const decision = unread(
      scheduler({
        profile: {
          filters: [keeping("a", "b")],
          scorers: [{ scorer: scoring({ a: 1 }), weight: 1 }],
        },
      }),
    );
    expect(podsOf(decision.endpoints)).toEqual(["b"]);
    expect(decision).toMatchObject({ headers: [["x-own", "1"]] });
  });

  it("is refused if no endpoint passes the filters, or if there is no endpoint", () => {
    expect(() => unread(scheduler({ profile: { filters: [keeping()] } }))).toThrow(/no endpoints/);
    expect(() => unread(scheduler(), [])).toThrow(/failed to find endpoint candidates/);
  });
});

describe("a profile", () => {
  it("sums weight times score, with each score clamped to 0..1", () => {
    const scorers = [
      { scorer: scoring({ a: 0.5, b: 7, c: -3 }), weight: 2 },
      { scorer: scoring({ a: 1, b: Number.NaN, c: 0.25 }), weight: 0.5 },
    ];
    const decision = schedule(scheduler({ profile: { scorers } }));
    expect([...decision.scores()]).toEqual([
      [a.address, 1.5],
      [b.address, 2],
      [c.address, 0.125],
    ]);
    expect(podsOf(decision.endpoints)).toEqual(["b", "a", "c"]);
  });

  /** A literal with a getter has a hidden class of its own, which keeps its request until the next major collection. */
  it("returns a decision without getters", () => {
    const properties = Object.values(Object.getOwnPropertyDescriptors(schedule(scheduler())));
    expect(properties.filter(({ get }) => get !== undefined)).toEqual([]);
  });

  it("filters in order, and scores the endpoints that pass", () => {
    const seen: string[][] = [];
    const noting: Filter = {
      filter(_, among) {
        seen.push(podsOf(among));
        return among;
      },
    };
    const filters = [noting, keeping("b", "c"), noting, keeping("c", "a"), noting];
    expect([
      ...schedule(scheduler({ profile: { filters } }))
        .scores()
        .keys(),
    ]).toEqual([c.address]);
    expect(seen).toEqual([["a", "b", "c"], ["b", "c"], ["c"]]);
  });

  it("runs no further filter, scorer or picker if no endpoint passes", () => {
    const never = () => {
      throw new Error("must not be asked");
    };
    const profile = {
      filters: [keeping(), { filter: never }],
      scorers: [{ scorer: { score: never }, weight: 1 }],
      picker: { pick: never },
    };
    expect(() => schedule(scheduler({ profile }))).toThrow(
      expect.objectContaining({
        code: "ResourceExhausted",
        message: "no endpoints available for the given request",
        reason: "rejected-saturated",
      }),
    );
  });
});

describe("schedule", () => {
  it("refuses a request with ServiceUnavailable if all endpoints are prefillers", () => {
    const labels = { "llm-d.ai/role": "prefill" };
    const prefillers = [a, b].map((each) => ({ ...each, labels }));
    const none = { filters: [keeping()] };
    expect(() => schedule(scheduler({ profile: none }), {}, prefillers)).toThrow(
      expect.objectContaining({ code: "ServiceUnavailable", reason: "rejected-no-endpoints" }),
    );
    expect(() => schedule(scheduler({ profile: none }), {}, [...prefillers, c])).toThrow(
      expect.objectContaining({ code: "ResourceExhausted", reason: "rejected-saturated" }),
    );
  });

  it("returns the handler's headers", () => {
    expect(schedule(scheduler())).toMatchObject({
      headers: [["x-own", "1"]],
    });
  });

  it("refuses a request with ServiceUnavailable if there is no endpoint", () => {
    expect(() => schedule(scheduler(), {}, [])).toThrow(
      expect.objectContaining({
        code: "ServiceUnavailable",
        message: "failed to find endpoint candidates for serving the request",
        reason: "rejected-no-endpoints",
      }),
    );
  });

  it("refuses a request if the handler runs an unknown profile", () => {
    const handler: ProfileHandler = {
      handle: (_, run) => ({ primary: run("other"), prefillers: [], headers: [] }),
    };
    expect(() => schedule(scheduler({ handler }))).toThrow("no endpoints available");
  });

  it("measures saturation as the mean over the endpoints, and as 1 for an empty pool", () => {
    expect(poolSaturation(scheduler().detector, endpoints, 5)).toBe(10);
    expect(poolSaturation(scheduler().detector, [], 5)).toBe(1);
  });
});

describe("Prefer: if-available", () => {
  const cache = newPrefixCache();
  const made = scheduler({ prefixCaches: [named(cache)], profile: { filters: [keeping("b")] } });
  const prompts = [blocks(2)];
  schedule(made, { prompts }).dispatch().end(now);
  const preferring = (prefer: string, prompt: string) => () =>
    schedule(made, { prompts: [prompt], headers: { prefer } });
  const refusal = expect.objectContaining({
    code: "PreconditionFailed",
    message: "no decode worker has the requested KV cache",
  });

  it.each(["if-available", " If-Available ", "wait=5, if-available", "if-available; q=1"])(
    "%j is refused unless the selected endpoint has the prompt cached",
    (prefer) => {
      expect(preferring(prefer, blocks(2, "y"))).toThrow(refusal);
      expect(preferring(prefer, blocks(3))).not.toThrow();
    },
  );

  it.each(["", "if-available-maybe", "wait=5"])(
    "%j is served without a cached prompt",
    (prefer) => {
      expect(preferring(prefer, blocks(2, "y"))).not.toThrow();
    },
  );

  it("is refused if only another endpoint than the selected one has the prompt cached", () => {
    const elsewhere = { prefixCaches: [named(cache)], profile: { filters: [keeping("a")] } };
    const headers = { prefer: "if-available" };
    expect(() => schedule(scheduler(elsewhere), { headers, prompts })).toThrow(refusal);
  });

  it("is always refused without a prefix cache", () => {
    const headers = { prefer: "if-available" };
    expect(() => schedule(scheduler(), { headers, prompts })).toThrow(refusal);
  });
});

describe("servers whose responses fail", () => {
  const answered = (
    made: ProfileScheduler,
    { status, bodies, isWrong }: { status: string; bodies: number; isWrong?: boolean },
  ) => {
    for (let at = 0; at < 3; at += 1) {
      const sent = made.schedule(request(), [a as Endpoint], chance).dispatch();
      sent.answered(new Map([[":status", status]]), now);
      if (bodies > 0) sent.firstToken(now, isWrong);
      sent.end(now, undefined, bodies === 0);
    }
  };
  const scorers = [{ scorer: scoring({ a: 1, b: 0.5 }), weight: 1 }];

  it("receive no requests, and an explanation shows it", () => {
    const made = scheduler({ profile: { scorers } });
    const schedule = (record = newSchedulingRecord()) => {
      const { endpoints: chosen } = made.schedule(request(), endpoints, chance, record);
      return { chosen: podsOf(chosen)[0], record };
    };
    expect(schedule().chosen).toBe("a");
    answered(made, { status: "500", bodies: 1 });
    const { chosen, record } = schedule();
    expect(chosen).toBe("b");
    const [profile] = record.profiles;
    expect(profile?.profile.filters).toEqual([
      { plugin: { type: "server-health", name: "server-health" } },
    ]);
    expect(profile?.left.map(podsOf)).toEqual([["b", "c"]]);
    expect(podsOf(record.candidates)).toEqual(["a", "b", "c"]);
  });

  it("receive requests if no other server passes the filters", () => {
    const made = scheduler({ profile: { filters: [keeping("a")], scorers } });
    answered(made, { status: "500", bodies: 1 });
    const record = newSchedulingRecord();
    expect(podsOf(made.schedule(request(), endpoints, chance, record).endpoints)).toEqual(["a"]);
    expect(record.profiles[0]?.left.map(podsOf)).toEqual([["a"]]);
  });

  it.each<[answer: string, status: string, bodies: number, isWrong: boolean, isHeld: boolean]>([
    ["a status of 503", "503", 1, false, true],
    ["a status of 429", "429", 1, false, true],
    ["a body that is not JSON", "200", 1, true, true],
    ["no body", "200", 0, false, true],
    ["an unknown model", "404", 1, true, true],
    ["an unknown id", "404", 1, false, false],
    ["a client's error", "400", 1, false, false],
    ["a body", "200", 1, false, false],
  ])(
    "three responses with %s (status %s, bodies %i, wrong %s) eject a server: %s",
    (_, status, bodies, isWrong, isHeld) => {
      const made = scheduler({ profile: { scorers } });
      answered(made, { status, bodies, isWrong });
      expect(made.state.servers.health.ejected(now).length > 0).toBe(isHeld);
    },
  );
});

describe("dispatch", () => {
  const disaggregating: ProfileHandler = {
    handle: (_, run) => ({ primary: run("default"), prefillers: [b], headers: [] }),
  };
  const loads = () => [a, b].map(({ live }) => [live.runningRequests, live.runningTokens]);
  const start = (change: Partial<ProfileSchedulerParts>, prompts = [blocks(2)]) => {
    const made = scheduler({ handler: disaggregating, ...change });
    const decision = schedule(made, { prompts });
    return { made, inFlight: decision.dispatch() };
  };

  it("counts the prefiller's request and the prompt until the first token, and the decoder's request until the end", () => {
    const { inFlight } = start({});
    expect(loads()).toEqual([
      [1, 128],
      [1, 128],
    ]);
    inFlight.firstToken(now);
    inFlight.firstToken(now);
    expect(loads()).toEqual([
      [1, 0],
      [0, 0],
    ]);
    inFlight.end(now);
    inFlight.end(now);
    inFlight.firstToken(now);
    expect(loads()).toEqual([
      [0, 0],
      [0, 0],
    ]);
  });

  it("reports the first-token delay only of a streamed request whose prompt was alone at its server", () => {
    const servers = new ServerModels();
    const began = vi.spyOn(servers.speeds, "began");
    const made = scheduler({ servers });
    const server = endpoint("a");
    const payload = { prompts: [blocks(2)], tokensBeyond: 0, cacheSalt: "", streaming: true };
    const send = (change: Partial<typeof payload> = {}) =>
      made
        .schedule({ ...request(), payload: { ...payload, ...change } }, [server], {
          now,
          random: () => 0.5,
        })
        .dispatch();
    const alone = send();
    alone.answered(new Map([[":status", "200"]]), now + 40);
    alone.firstToken(now + 50);
    alone.firstToken(now + 60);
    expect(began.mock.calls).toEqual([[server.live, { at: now + 50, delayMs: 50, tokens: 128 }]]);
    began.mockClear();

    const followed = send();
    const second = send();
    followed.firstToken(now + 50);
    second.firstToken(now + 50);
    const failed = send();
    failed.answered(new Map([[":status", "503"]]), now + 1);
    failed.firstToken(now + 1);
    send({ streaming: false }).firstToken(now + 50);
    expect(began).not.toHaveBeenCalled();
  });

  it("reports the first-token delay of an unobserved response when the server's metrics count it", () => {
    const servers = new ServerModels();
    const began = vi.spyOn(servers.speeds, "began");
    const made = scheduler({ servers });
    const server = endpoint("a");
    const read = (at: number, firstTokens: number, runningRequests: number) => {
      server.live.metrics = metrics({ at, firstTokens, runningRequests });
      made.state.settle(server);
    };
    read(now, 5, 0);
    const payload = { prompts: [blocks(2)], tokensBeyond: 0, cacheSalt: "", streaming: true };
    const sent = made
      .schedule({ ...request(), payload }, [server], { now, random: () => 0.5 })
      .dispatch();
    expect(sent.unobserve(now, () => {})).toBe(true);
    read(now + 30, 5, 1);
    expect(began).not.toHaveBeenCalled();
    read(now + 80, 6, 1);
    expect(began.mock.calls).toEqual([[server.live, { at: now + 80, delayMs: 80, tokens: 128 }]]);
  });

  it("keeps prompts in order, and resets the computed tokens when the first prompt is done", () => {
    const made = scheduler();
    const server = endpoint("a");
    const send = (prompts: readonly string[]) => schedule(made, { prompts }, [server]).dispatch();
    const document = send([blocks(40)]);
    const short = send([blocks(2, "y")]);
    const tokens = () => [...server.live.prompts].map(({ promptTokens }) => promptTokens);
    expect(tokens()).toEqual([2_560, 128]);
    server.live.computedTokens = 1_000;
    short.firstToken(now);
    expect([tokens(), server.live.computedTokens]).toEqual([[2_560], 1_000]);
    document.firstToken(now);
    expect([tokens(), server.live.computedTokens]).toEqual([[], 0]);
  });

  it("subtracts the prompt tokens of a request that ends without a first token", () => {
    const { made, inFlight } = start({});
    const tokens = a.live.sentTokens;
    inFlight.end(now);
    inFlight.end(now);
    expect(loads()).toEqual([
      [0, 0],
      [0, 0],
    ]);
    expect(tokens - a.live.sentTokens).toBe(128);
    const computed = schedule(made, { prompts: [blocks(2)] }).dispatch();
    computed.firstToken(now);
    computed.end(now);
    expect(a.live.sentTokens).toBe(tokens);
  });

  it("reports the cached part of a prompt on the selected endpoint before it stores the prompt", () => {
    const matched = vi.fn();
    const cache = newPrefixCache();
    const made = scheduler({
      prefixCaches: [named(cache)],
      observer: { ...silentObserver, matchesOf: () => matched },
    });
    const prompts = [blocks(3)];
    for (const _ of [1, 2]) schedule(made, { prompts }).dispatch().end(now);
    const bytes = matched.mock.calls;
    expect(bytes).toEqual([
      [0, bytes[0]?.[1], "estimate"],
      [bytes[0]?.[1], bytes[0]?.[1], "estimate"],
    ]);
    expect(bytes[0]?.[1]).toBeGreaterThan(0);
    expect(made.state.prefixIndexes()).toEqual([{ plugin: named(cache).plugin, size: 3 }]);
  });

  it("reports the tokens of a prompt that the selected endpoint and the best endpoint have cached", () => {
    const prompt = vi.fn();
    const cache = newPrefixCache();
    const made = scheduler({
      prefixCaches: [named(cache)],
      observer: { ...silentObserver, prompt },
    });
    const send = (count: number, among: readonly Endpoint[]) =>
      schedule(made, { prompts: [blocks(count)] }, among)
        .dispatch()
        .end(now);
    send(3, [a]);
    send(5, [b]);
    // The single profile selects the first endpoint.
    send(5, [a, b]);
    expect(prompt.mock.calls).toEqual([
      [192, 0, 0],
      [320, 0, 0],
      [320, 192, 320],
    ]);
  });

  it("counts only uncached tokens, and stores where prompts were sent", () => {
    const cache = newPrefixCache();
    const { made, inFlight } = start({ prefixCaches: [named(cache)] });
    inFlight.end(now);
    const prompts = [blocks(3)];
    const next = schedule(made, { prompts }).dispatch();
    expect(loads()).toEqual([
      [1, 64],
      [1, 64],
    ]);
    next.end(now);
    expect(cache.size).toBe(6);
    made.state.retain([b]);
    expect(cache.size).toBe(3);
  });

  it("calls each pre-request hook", () => {
    const told: unknown[] = [];
    const hook: PreRequestHook = {
      preRequest(cycle, primary, prefillers) {
        told.push([primary.pod, podsOf(prefillers), [...cycle.results.keys()]]);
      },
    };
    start({ preRequestHooks: [hook, hook] }).inFlight.end(now);
    expect(told).toEqual([
      ["a", ["b"], ["default"]],
      ["a", ["b"], ["default"]],
    ]);
  });
});
