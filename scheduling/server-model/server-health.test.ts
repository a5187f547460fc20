import { describe, expect, it } from "vitest";
import { seeded } from "../../testing/samples/seeded.ts";
import { endpointsOf, metrics, podsOf } from "../cycles.fixture.ts";
import type { Endpoint } from "../endpoints/endpoint.ts";
import { roleLabel } from "../label-keys.ts";
import { constants } from "../load-constants.ts";
import type { AnswerOutcome } from "./failures.ts";
import { ServerHealth } from "./server-health.ts";

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
    ask(
      endpoint: Endpoint | undefined,
      outcome: AnswerOutcome,
      model = "base",
      clients: readonly string[] = [],
    ) {
      const request = {};
      health.sent(endpoint as Endpoint, request, model, pool.chance(), clients);
      health.answered(endpoint as Endpoint, request, pool.now);
      health.ended(endpoint as Endpoint, model, outcome, pool.chance(), clients);
    },
    fails(endpoint: Endpoint | undefined, outcome: AnswerOutcome = "failed", model = "base") {
      for (let at = 0; at < constants.inARow; at += 1) pool.ask(endpoint, outcome, model);
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

  it.each(["failed", "busy"] as const)(
    "gets one probe at a time, after one second, then every seven seconds: %s",
    (outcome) => {
      const pool = newPool("a", "b");
      const [a] = pool.endpoints;
      pool.fails(a, outcome);
      const delays: number[] = [];
      for (let probe = 0; probe < 5; probe += 1) {
        const since = pool.now;
        while (!pool.fit().includes("a")) pool.now += 1;
        delays.push(pool.now - since);
        pool.health.sent(a as Endpoint, {}, "base", pool.chance());
        expect(pool.fit()).toEqual(["b"]);
        pool.health.ended(a as Endpoint, "base", outcome, pool.chance());
        expect(pool.fit()).toEqual(["b"]);
      }
      expect(delays).toEqual([1_000, 7_000, 7_000, 7_000, 7_000]);
    },
  );

  it("gets requests again after one success", () => {
    const pool = newPool("a", "b");
    pool.fails(pool.endpoints[0]);
    pool.ask(pool.endpoints[0], "succeeded");
    expect(pool.fit()).toEqual(["a", "b"]);
    expect(pool.health.ejected(pool.now)).toEqual([]);
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
  it("keeps at least half of the servers, starting with the servers whose probe is due first", () => {
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
    for (let at = 50; at <= 500; at += 50) {
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

  it("refuses after readings for 500 ms that show none of three unobserved requests", () => {
    const { pool, a, mayLeave } = newLeaving();
    expect([mayLeave(), mayLeave()]).toEqual([true, true]);
    a.live.metrics = metrics({ at: 499 });
    pool.health.read(a.live);
    expect(mayLeave()).toBe(true);
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

describe("a client whose requests fail on every server", () => {
  /** One client always fails, 20 requests per second, and another always succeeds at the same rate. */
  function play(pods: number, { model = "base", outcome = "failed" as AnswerOutcome } = {}) {
    const pool = newPool(...["a", "b", "c", "d", "e", "f", "g", "h"].slice(0, pods));
    const random = seeded(1);
    let ejected = 0;
    const turns = 2_000;
    for (let turn = 0; turn < turns; turn += 1) {
      pool.now += 25;
      const [clients, name, result] =
        turn % 2 === 0
          ? [["10.0.0.9"], model, outcome]
          : [["10.0.0.1"], "base", "succeeded" as const];
      const fit = pool.health.fit(pool.endpoints, name, pool.now, clients);
      pool.ask(fit[Math.floor(random() * fit.length)], result, name, clients);
      if (turn > 20)
        ejected += pods - pool.health.fit(pool.endpoints, "base", pool.now, ["10.0.0.1"]).length;
    }
    return ejected / turns;
  }

  it.each([2, 4, 8])("ejects none of %i servers for other clients", (pods) => {
    expect(play(pods)).toBe(0);
  });

  it("ejects no server for other models if it makes up names of models", () => {
    expect(play(4, { model: "made-up" })).toBe(0);
  });

  it("ejects no server if its requests stay with one server until that is ejected", () => {
    const pool = newPool("a", "b", "c", "d");
    for (let at = 0; at < 100; at += 1) {
      pool.now += 50;
      const [first] = pool.health.fit(pool.endpoints, "base", pool.now, ["10.0.0.9"]);
      pool.ask(first, "failed", "base", ["10.0.0.9"]);
    }
    expect(pool.fit()).toEqual(["a", "b", "c", "d"]);
  });

  it("ejects no server if it gives up after three seconds on every server", () => {
    const pool = newPool("a", "b", "c", "d");
    const given: Array<[Endpoint, object, number]> = [];
    let ejected = 0;
    for (let turn = 0; turn < 240; turn += 1) {
      pool.now += 250;
      const clients = ["10.0.0.9"];
      const fit = pool.health.fit(pool.endpoints, "base", pool.now, clients);
      const endpoint = fit[turn % fit.length] as Endpoint;
      const request = {};
      pool.health.sent(endpoint, request, "base", pool.chance(), clients);
      given.push([endpoint, request, pool.now]);
      for (const [from, left, at] of given)
        if (pool.now - at === 3_000) pool.health.left(from, left, pool.chance());
      if (turn % 2 === 0)
        pool.ask(pool.endpoints[(turn / 2) % 4], "succeeded", "base", ["10.0.0.1"]);
      if (turn > 20) ejected += 4 - pool.fit().length;
    }
    expect(ejected).toBe(0);
  });

  it("ejects a server for less than a tenth of the time if it shares its address with all clients", () => {
    const pool = newPool("a", "b", "c", "d");
    const random = seeded(1);
    let ejected = 0;
    for (let turn = 0; turn < 4_000; turn += 1) {
      pool.now += 25;
      const fit = pool.health.fit(pool.endpoints, "base", pool.now, ["10.0.0.1"]);
      const outcome = random() < 0.5 ? "failed" : "succeeded";
      pool.ask(fit[Math.floor(random() * fit.length)], outcome, "base", ["10.0.0.1"]);
      ejected += 4 - pool.fit().length;
    }
    expect(ejected / 4_000).toBeLessThan(0.1);
  });

  it("sends no probes, so that it cannot prolong an ejection", () => {
    const pool = newPool("a", "b", "c", "d");
    for (const endpoint of pool.endpoints) pool.ask(endpoint, "failed", "base", ["10.0.0.9"]);
    pool.fails(pool.endpoints[0]);
    pool.now += 1_001;
    pool.health.sent(pool.endpoints[0] as Endpoint, {}, "base", pool.chance(), ["10.0.0.9"]);
    expect(pool.fit()).toEqual(["a", "b", "c", "d"]);
  });
});

describe("a failing server", () => {
  it.each([
    ["one client", () => ["10.0.0.1"]],
    ["many clients", (at: number) => [`10.0.1.${at}`]],
    ["clients of one tenant", (at: number) => [`10.0.1.${at}`, "tenant acme"]],
  ])("is ejected after three failures of %s", (_, clientsOf) => {
    const pool = newPool("a", "b", "c", "d");
    for (let at = 0; at < 3; at += 1) {
      for (const healthy of pool.endpoints.slice(1))
        pool.ask(healthy, "succeeded", "base", clientsOf(at));
      pool.ask(pool.endpoints[0], "failed", "base", clientsOf(at));
    }
    expect(pool.fit()).toEqual(["b", "c", "d"]);
  });

  it("is ejected next to a client whose requests fail everywhere", () => {
    const pool = newPool("a", "b", "c", "d");
    for (const endpoint of pool.endpoints) pool.ask(endpoint, "failed", "base", ["10.0.0.9"]);
    for (let at = 0; at < 3; at += 1) {
      for (const healthy of pool.endpoints.slice(1)) {
        pool.ask(healthy, "failed", "base", ["10.0.0.9"]);
        pool.ask(healthy, "succeeded", "base", ["10.0.0.1"]);
      }
      pool.ask(pool.endpoints[0], "failed", "base", ["10.0.0.1"]);
    }
    expect(pool.fit()).toEqual(["b", "c", "d"]);
  });

  it("is ejected with another failing server if one address sends all requests", () => {
    const pool = newPool("a", "b", "c", "d");
    const random = seeded(1);
    const ask = () => {
      pool.now += 10;
      const fit = pool.health.fit(pool.endpoints, "base", pool.now, ["10.0.0.1"]);
      const endpoint = fit[Math.floor(random() * fit.length)] as Endpoint;
      const fails = endpoint.pod === "a" || endpoint.pod === "b";
      pool.ask(endpoint, fails ? "failed" : "succeeded", "base", ["10.0.0.1"]);
    };
    for (let at = 0; at < 40; at += 1) ask();
    expect(podsOf(pool.health.fit(pool.endpoints, undefined, pool.now))).toEqual(["c", "d"]);
  });

  it("is ejected after thirty failures in a row of an address with failures everywhere", () => {
    const pool = newPool("a", "b", "c", "d");
    for (const endpoint of pool.endpoints) pool.ask(endpoint, "failed", "base", ["10.0.0.1"]);
    for (const healthy of pool.endpoints.slice(1))
      pool.ask(healthy, "succeeded", "base", ["10.0.0.1"]);
    for (let at = 0; at < 30; at += 1) pool.ask(pool.endpoints[0], "failed", "base", ["10.0.0.1"]);
    expect(pool.fit()).toEqual(["b", "c", "d"]);
  });
});

describe("a model that fails on every server", () => {
  it("ejects no server for other models", () => {
    const pool = newPool("a", "b", "c", "d");
    for (const endpoint of pool.endpoints) pool.ask(endpoint, "succeeded", "base");
    for (let at = 0; at < 3; at += 1)
      for (const endpoint of pool.endpoints)
        pool.ask(endpoint, "failed", "adapter", [`10.0.0.${at}`]);
    expect(pool.fit("base")).toEqual(["a", "b", "c", "d"]);
  });

  it("is remembered although clients make up 200 names of models", () => {
    const pool = newPool("a", "b");
    const [a, b] = pool.endpoints;
    pool.ask(b, "succeeded", "real");
    pool.fails(a, "unknown-model", "real");
    for (let at = 0; at < 200; at += 1) pool.ask(a, "unknown-model", `made-up-${at}`);
    expect(pool.fit("real")).toEqual(["b"]);
  });
});
