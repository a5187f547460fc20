import { describe, expect, it } from "vitest";
import { endpointsOf, metrics, podsOf } from "../cycles.fixture.ts";
import type { Endpoint } from "../endpoint.ts";
import { roleLabel } from "../label-keys.ts";
import { constants } from "../load-constants.ts";
import { type AnswerOutcome, ServerHealth } from "./server-health.ts";

/** A pool with a clock that the test sets and without jitter: `random` returns the middle. */
function newPool(...pods: string[]) {
  const health = new ServerHealth();
  const endpoints = endpointsOf(...pods);
  const pool = {
    health,
    endpoints,
    now: 0,
    chance: () => ({ now: pool.now, random: () => 0.5 }),
    fit: (model = "base") => podsOf(health.fit(endpoints, model, pool.now)),
    /** Sends a request and ends it. */
    ask(endpoint: Endpoint | undefined, outcome: AnswerOutcome, model = "base") {
      const request = {};
      health.sent(endpoint as Endpoint, request, model, pool.chance());
      health.answered(endpoint as Endpoint, request, pool.now);
      health.ended(endpoint as Endpoint, model, outcome, pool.chance());
    },
    fails(endpoint: Endpoint | undefined, outcome: AnswerOutcome = "failed", model = "base") {
      for (let at = 0; at < constants.failuresInARow; at += 1) pool.ask(endpoint, outcome, model);
    },
  };
  return pool;
}

describe("a server whose requests fail", () => {
  it("is ejected after three failures in a row", () => {
    const pool = newPool("a", "b", "c");
    const [a] = pool.endpoints;
    pool.ask(a, "failed");
    pool.ask(a, "failed");
    pool.ask(a, "succeeded");
    pool.ask(a, "failed");
    pool.ask(a, "failed");
    expect(pool.fit()).toEqual(["a", "b", "c"]);
    pool.ask(a, "failed");
    expect(pool.fit()).toEqual(["b", "c"]);
  });

  it("gets one probe at a time, with delays that grow up to seven seconds", () => {
    const pool = newPool("a", "b");
    const [a] = pool.endpoints;
    pool.fails(a);
    const delays: number[] = [];
    for (let probe = 0; probe < 5; probe += 1) {
      const since = pool.now;
      while (!pool.fit().includes("a")) pool.now += 1;
      delays.push(pool.now - since);
      pool.health.sent(a as Endpoint, {}, "base", pool.chance());
      expect(pool.fit()).toEqual(["b"]);
      pool.health.ended(a as Endpoint, "base", "failed", pool.chance());
      expect(pool.fit()).toEqual(["b"]);
    }
    expect(delays).toEqual([1_000, 3_000, 7_000, 7_000, 7_000]);
  });

  it("gets requests again after one success", () => {
    const pool = newPool("a", "b");
    pool.fails(pool.endpoints[0]);
    pool.ask(pool.endpoints[0], "succeeded");
    expect(pool.fit()).toEqual(["a", "b"]);
    expect(pool.health.ejected(pool.now)).toEqual([]);
  });

  it("is probed every second while it is only busy", () => {
    const pool = newPool("a", "b");
    const [a] = pool.endpoints;
    pool.fails(a, "busy");
    for (let probe = 0; probe < 3; probe += 1) {
      pool.now += 1_000;
      expect(pool.fit()).toEqual(["a", "b"]);
      pool.ask(a, "busy");
      expect(pool.fit()).toEqual(["b"]);
    }
  });

  it("is reported with the time to its next probe", () => {
    const pool = newPool("a", "b");
    pool.fails(pool.endpoints[0]);
    pool.now = 400;
    expect(pool.health.ejected(pool.now)).toEqual([
      { endpoint: pool.endpoints[0]?.id, backoffs: 1, remainingMs: 600 },
      { endpoint: pool.endpoints[0]?.id, model: "base", backoffs: 1, remainingMs: 600 },
    ]);
  });

  it("is forgotten when its pod is gone", () => {
    const pool = newPool("a", "b");
    pool.fails(pool.endpoints[0]);
    pool.health.retain(new Set());
    expect(pool.fit()).toEqual(["a", "b"]);
  });
});

describe("a model that fails on a server", () => {
  it("is ejected on that server only, and other models are not", () => {
    const pool = newPool("a", "b");
    const [a] = pool.endpoints;
    for (let at = 0; at < 3; at += 1) {
      pool.ask(a, "failed", "adapter");
      pool.ask(a, "succeeded", "base");
    }
    expect(pool.fit("adapter")).toEqual(["b"]);
    expect(pool.fit("base")).toEqual(["a", "b"]);
  });

  it("does not eject the server if the server does not serve it", () => {
    const pool = newPool("a", "b");
    pool.fails(pool.endpoints[0], "unknown-model", "no-such-model");
    expect(pool.fit("no-such-model")).toEqual(["b"]);
    expect(pool.fit("base")).toEqual(["a", "b"]);
  });

  it("is remembered for at most 64 names, so that clients cannot fill the memory", () => {
    const pool = newPool("a", "b");
    for (let at = 0; at < 100; at += 1) pool.fails(pool.endpoints[0], "unknown-model", `m${at}`);
    expect(pool.health.ejected(pool.now)).toHaveLength(64);
    expect(pool.fit("m99")).toEqual(["b"]);
  });
});

describe("ejection of a role's servers", () => {
  it("keeps at least half of the servers, first those whose probe is due first", () => {
    const pool = newPool("a", "b", "c");
    for (const endpoint of pool.endpoints) {
      pool.fails(endpoint);
      pool.now += 100;
    }
    expect(pool.fit()).toEqual(["a", "b"]);
  });

  it("keeps a lone server", () => {
    const pool = newPool("a");
    pool.fails(pool.endpoints[0]);
    expect(pool.fit()).toEqual(["a"]);
  });

  it("keeps the only decoder next to many prefillers", () => {
    const pool = newPool("a", "b", "c", "d");
    const endpoints = pool.endpoints.map((endpoint, at) => ({
      ...endpoint,
      labels: { [roleLabel]: at === 0 ? "decode" : "prefill" },
    }));
    pool.fails(endpoints[0]);
    expect(podsOf(pool.health.fit(endpoints, "base", pool.now))).toEqual(["a", "b", "c", "d"]);
  });
});

describe("a server that does not respond", () => {
  it("is ejected when a request has waited for a second without progress", () => {
    const pool = newPool("a", "b");
    const a = pool.endpoints[0] as Endpoint;
    pool.health.sent(a, {}, "base", pool.chance());
    pool.now = 900;
    pool.health.sent(a, {}, "base", pool.chance());
    expect(pool.fit()).toEqual(["a", "b"]);
    pool.now = 1_001;
    pool.health.sent(a, {}, "base", pool.chance());
    expect(pool.fit()).toEqual(["b"]);
  });

  it("is ejected when its only client gives up after a second without progress", () => {
    const pool = newPool("a", "b");
    const a = pool.endpoints[0] as Endpoint;
    const request = {};
    pool.health.sent(a, request, "base", pool.chance());
    pool.now = 1_001;
    pool.health.left(a, request, pool.chance());
    expect(pool.fit()).toEqual(["b"]);
  });

  it("keeps getting requests if a client gives up within a second", () => {
    const pool = newPool("a", "b");
    const a = pool.endpoints[0] as Endpoint;
    const request = {};
    pool.health.sent(a, request, "base", pool.chance());
    pool.now = 999;
    pool.health.left(a, request, pool.chance());
    pool.now = 5_000;
    pool.health.sent(a, {}, "base", pool.chance());
    expect(pool.fit()).toEqual(["a", "b"]);
  });

  it("keeps getting requests while its generated tokens grow", () => {
    const pool = newPool("a", "b");
    const a = pool.endpoints[0] as Endpoint;
    pool.health.sent(a, {}, "base", pool.chance());
    for (pool.now = 500; pool.now < 5_000; pool.now += 500) {
      a.live.metrics = metrics({ at: pool.now, generatedTokens: pool.now });
      pool.health.read(a.live);
      pool.health.sent(a, {}, "base", pool.chance());
    }
    expect(pool.fit()).toEqual(["a", "b"]);
  });

  it("keeps getting requests while its counters of begun and ended responses grow", () => {
    const pool = newPool("a", "b");
    const a = pool.endpoints[0] as Endpoint;
    pool.health.sent(a, {}, "base", pool.chance());
    for (pool.now = 500; pool.now < 5_000; pool.now += 500) {
      const answers = pool.now / 500;
      a.live.metrics = metrics({ at: pool.now, firstTokens: answers, endedRequests: answers });
      pool.health.read(a.live);
      pool.health.sent(a, {}, "base", pool.chance());
    }
    expect(pool.fit()).toEqual(["a", "b"]);
  });

  it("gets more time if it computes long prompts", () => {
    const pool = newPool("a", "b");
    const a = pool.endpoints[0] as Endpoint;
    a.live.metrics = metrics({ at: 0 });
    a.live.runningTokens = 10_000;
    pool.health.sent(a, {}, "base", pool.chance());
    pool.health.read(a.live);
    pool.now = 4_900;
    pool.health.sent(a, {}, "base", pool.chance());
    expect(pool.fit()).toEqual(["a", "b"]);
    pool.now = 5_100;
    pool.health.sent(a, {}, "base", pool.chance());
    expect(pool.fit()).toEqual(["b"]);
  });
});

describe("ServerHealth.mayLeave", () => {
  const newLeaving = () => {
    const pool = newPool("a", "b");
    const a = pool.endpoints[0] as Endpoint;
    pool.health.sent(a, {}, "base", pool.chance());
    return { pool, a, mayLeave: () => pool.health.mayLeave(a, "base", pool.now) };
  };

  const readings = (a: Endpoint, health: ServerHealth, change = {}) => {
    for (let at = 0; at < 10; at += 1) {
      a.live.metrics = metrics({ at, ...change });
      health.read(a.live);
    }
  };

  it("allows unobserved requests for two seconds if no metrics are read", () => {
    const { pool, mayLeave } = newLeaving();
    pool.now = 10_000;
    expect([mayLeave(), mayLeave(), mayLeave(), mayLeave()]).toEqual([true, true, true, true]);
    pool.now = 12_001;
    expect(mayLeave()).toBe(false);
  });

  it("refuses after ten readings that show none of three unobserved requests", () => {
    const { pool, a, mayLeave } = newLeaving();
    expect([mayLeave(), mayLeave(), mayLeave()]).toEqual([true, true, true]);
    readings(a, pool.health);
    expect(mayLeave()).toBe(false);
  });

  it("refuses after two seconds without metrics", () => {
    const { pool, mayLeave } = newLeaving();
    expect([mayLeave(), mayLeave(), mayLeave(), mayLeave()]).toEqual([true, true, true, true]);
    pool.now = 2_001;
    expect(mayLeave()).toBe(false);
  });

  it.each([
    ["runs a request", { runningRequests: 1 }],
    ["counts tokens", { generatedTokens: 5 }],
  ])("allows unobserved requests while the server %s", (_, change) => {
    const { pool, a, mayLeave } = newLeaving();
    for (let at = 0; at < 5; at += 1) expect(mayLeave()).toBe(true);
    readings(a, pool.health, change);
    pool.now = 3_000;
    expect(mayLeave()).toBe(true);
  });

  it("refuses after a failure until a request succeeds", () => {
    const { pool, a, mayLeave } = newLeaving();
    pool.ask(a, "failed");
    expect([mayLeave(), mayLeave()]).toEqual([false, false]);
    pool.ask(a, "succeeded");
    expect(mayLeave()).toBe(true);
  });
});
