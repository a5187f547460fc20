import { afterAll, describe, expect, it } from "vitest";
import { arrivals } from "./arrivals.ts";
import { type Figures, figuresOf, medianFigures } from "./figures.ts";
import { Random } from "./random.ts";
import { replicated } from "./replicas.ts";
import { routers } from "./routers.ts";
import { type Router, type Run, simulate } from "./simulate.ts";
import { type TenantFigures, tenantFigures } from "./tenants.ts";
import type { Trace } from "./trace.ts";
import { traceNames, traceOf } from "./traces.ts";
import { withQueues } from "./with-queues.ts";

const traces = new Map<string, Trace>();

/** The trace of the first seed. */
function firstOf(name: string): Trace {
  const trace = traces.get(name) ?? traceOf(name, 1);
  traces.set(name, trace);
  return trace;
}

/** The first requests of a trace: enough to see what a router does. */
const shortTrace = (name: string): Trace => {
  const trace = firstOf(name);
  return { ...trace, requests: trace.requests.slice(0, 150), measureFrom: 0 };
};

const routerOf = (name: string, trace: Trace) => routers[name]?.(trace, new Random(7)) as Router;

describe.each(traceNames)("a run of the trace %s", (name) => {
  it("answers every request completely and once, with the same outcome for the same seed", () => {
    const trace = shortTrace(name);
    const run = () => simulate(trace, routerOf("planned", trace));
    const { outcomes } = run();
    expect(outcomes.map(({ request }) => request)).toEqual(trace.requests);
    for (const { failed, tokens, request, firstAt, endAt } of outcomes) {
      if (failed) continue;
      expect(tokens).toBe(request.outputTokens);
      expect(firstAt).toBeGreaterThan(request.at);
      expect(endAt).toBeGreaterThanOrEqual(firstAt);
    }
    expect(run().outcomes).toEqual(outcomes);
  });
});

/** A trace is the same for a seed, and so is what a router makes of it: tests that ask for the same share one run. */
const runs = new Map<string, Run>();

function runOf(name: string, router: string): Run {
  const key = `${router} on ${name}`;
  const run = runs.get(key) ?? simulate(firstOf(name), routerOf(router, firstOf(name)));
  runs.set(key, run);
  return run;
}

// Files that follow in this worker have the memory for themselves.
afterAll(() => {
  runs.clear();
  traces.clear();
});

const outcomes = (name: string, router: string) => runOf(name, router).outcomes;

const figures = (name: string, router: string) => figuresOf(firstOf(name), runOf(name, router));

describe("the planned default", () => {
  it.each(["one shared prompt", "a long shared prompt", "nothing shared, 16 pods", "bursts"])(
    "answers the trace %s with a p95 at most 15 % above least outstanding",
    (name) => {
      const planned = figures(name, "planned");
      expect(planned.p95).toBeLessThan(1.15 * figures(name, "least outstanding").p95);
      expect(planned.failed).toBe(0);
    },
  );

  it.each(["planned", "planned, unwatched"])(
    "keeps short prompts from waiting for long documents: %s",
    (router) => {
      expect(figures("documents", router).p95).toBeLessThan(
        1.5 * figures("documents", "cost oracle").p95,
      );
    },
  );

  it.each(["planned", "planned, unwatched"])(
    "gives a pod that joins half its fair share within 5 s: %s",
    (router) => {
      const soon = outcomes("pods come and go", router).filter(
        ({ request: { at } }) => at >= 25_000 && at < 30_000,
      );
      expect(soon.filter(({ pod }) => pod === 4).length).toBeGreaterThan((0.5 * soon.length) / 4);
    },
  );

  it.each(["planned", "planned, unwatched"])(
    "gives a slow pod three quarters of its fair share from 10 s after its recovery: %s",
    (router) => {
      const later = outcomes("long prompts, a pod recovers", router).filter(
        ({ request: { at } }) => at >= 85_000,
      );
      expect(later.filter(({ pod }) => pod === 0).length).toBeGreaterThan(
        (0.75 * later.length) / 4,
      );
    },
  );

  it.each(["planned", "planned, unwatched"])(
    "loses no more requests to a dead pod than least outstanding: %s",
    (router) => {
      const failed = (by: string) =>
        outcomes("pods come and go", by).filter((outcome) => outcome.failed).length;
      expect(failed(router)).toBeLessThanOrEqual(failed("least outstanding"));
    },
  );

  it.each(["chats", "chats of three tenants"])(
    "finds the caches of conversations and keeps the p95 near the p95 of the cost oracle: %s",
    (name) => {
      const planned = figures(name, "planned");
      expect(planned.hits).toBeGreaterThan(0.95 * figures(name, "prefix oracle").hits);
      expect(planned.p95).toBeLessThan(1.15 * figures(name, "cost oracle").p95);
    },
  );

  it("has a p95 at most 20 % higher if it does not watch responses, with fast engines", () => {
    const left = figures("40 prefixes, fast engines", "planned, unwatched");
    expect(left.p95).toBeLessThan(1.2 * figures("40 prefixes, fast engines", "planned").p95);
  });

  it("sends a slow pod only as many requests as keep the p95 within 15 % of the cost oracle", () => {
    const planned = figures("a slow pod", "planned");
    const oracle = figures("a slow pod", "cost oracle");
    expect(planned.p95).toBeLessThan(1.15 * oracle.p95);
    expect(planned.goodput).toBeGreaterThan(oracle.goodput - 2);
  });

  it("detects a slow pod although prefixes are cached there, and sends it fewer requests", () => {
    const planned = figures("40 prefixes, a slow pod", "planned");
    expect(planned.p95).toBeLessThan(125);
    expect(planned.goodput).toBeGreaterThan(97);
  });

  it("gives pods that join together half their fair share within 5 s under a long prompt that all share", () => {
    expect(figures("pods join", "planned").joined).toBeGreaterThan(50);
  });
});

it("three replicas have 95 % of the cache hits of one, and engine queues of at most 4 once caches are warm", () => {
  const three = figures("40 prefixes", "planned, 3 replicas");
  expect(three.hits).toBeGreaterThan(0.95 * figures("40 prefixes", "planned").hits);
  expect(three.laterQueue).toBeLessThanOrEqual(4);
  expect(three.failed).toBe(0);
});

it("three replicas keep short prompts away from documents that another replica sent", () => {
  const trace = firstOf("documents");
  const without = simulate(trace, replicated(3, new Random(7), 1));
  const three = figures("documents", "planned, 3 replicas");
  expect(three.p95).toBeLessThan(0.25 * figuresOf(trace, without).p95);
  expect(figuresOf(trace, withQueues(trace, 1, { replicas: 3 })).p95).toBeLessThan(
    0.5 * figuresOf(trace, without).p95,
  );
});

it("three replicas with queues have 95 % of the cache hits of one, and engine queues of at most 1 once caches are warm", () => {
  const trace = firstOf("40 prefixes");
  const three = figuresOf(trace, withQueues(trace, 1, { replicas: 3 }));
  expect(three.laterQueue).toBeLessThanOrEqual(1);
  expect(three.hits).toBeGreaterThan(0.95 * figures("40 prefixes", "planned").hits);
  expect(three.failed).toBe(0);
});

it("a light tenant does not wait for a heavy one behind the planned queues, at twice the load", () => {
  const trace = firstOf("two tenants");
  const of = (run: Run) => tenantFigures(trace, run) as TenantFigures;
  const without = of(runOf("two tenants", "planned"));
  const queued = of(withQueues(trace, 1));
  expect(queued.light.p95).toBeLessThan(0.05 * without.light.p95);
  // A step for its own prompt takes 116 ms. Behind a step full of the other's prompts it would be 486.
  expect(queued.light.p95).toBeLessThan(350);
  expect(queued.light.failed).toBe(0);
  // It gets all that it asks for, and the heavy one the rest.
  expect(queued.lightShare).toBeGreaterThan(1.5 * queued.lightDemand);
});

type Way = (trace: Trace, seed: number) => Run;

const routed =
  (router: string): Way =>
  (trace) =>
    simulate(trace, routerOf(router, trace));

/** Figures of each way, by seed: one trace at a time, since they are large. */
function bySeed<Ways extends Way[]>(name: string, ...ways: Ways) {
  const seeds = [1, 2, 3].map((seed) => {
    const trace = traceOf(name, seed);
    return ways.map((way) => figuresOf(trace, way(trace, seed)));
  });
  return ways.map((_, at) => seeds.map((figures) => figures[at])) as {
    [At in keyof Ways]: Figures[];
  };
}

it("the planned queues keep short prompts from waiting for documents", () => {
  const [queued, oracle] = bySeed("documents", withQueues, routed("cost oracle"));
  expect(medianFigures(queued).p95).toBeLessThan(1.5 * medianFigures(oracle).p95);
  // Documents themselves take two seconds; of short prompts none waits for one, with any seed.
  for (const { p95 } of queued) expect(p95).toBeLessThan(300);
});

it("the planned queues send agents to the pods that cache their long instructions", () => {
  const [queued, oracle] = bySeed("agents", withQueues, routed("cost oracle"));
  expect(medianFigures(queued).p95).toBeLessThan(1.15 * medianFigures(oracle).p95);
});

it("with engines that run few requests at once, both planned strategies have a lower p95 than upstream's best, and queues keep engine queues empty", () => {
  const [queued, planned, upstream] = bySeed(
    "few sequences",
    withQueues,
    routed("planned"),
    routed("upstream's best"),
  );
  const p95 = (figures: Figures[]) => medianFigures(figures).p95;
  expect(p95(planned)).toBeLessThan(p95(upstream));
  expect(p95(queued)).toBeLessThan(0.6 * p95(upstream));
  for (const { laterQueue } of queued) expect(laterQueue).toBe(0);
});

it("the planned queues warm up a pool whose caches hold one copy of each prefix: hits are above 94 %", () => {
  const [queued, planned] = bySeed("full caches", withQueues, routed("planned"));
  for (const [at, figures] of queued.entries()) {
    expect(figures.p95).toBeLessThan(1.5 * (planned[at]?.p95 as number));
    expect(figures.hits).toBeGreaterThan(94);
    expect(figures.queue).toBeLessThanOrEqual(1);
  }
});

it("a pool with small caches has 98 % of the prefix oracle's hits, with and without queues", () => {
  const [oracle, ...ours] = bySeed(
    "small caches",
    routed("prefix oracle"),
    routed("planned"),
    withQueues,
  );
  for (const figures of ours)
    expect(medianFigures(figures).hits).toBeGreaterThan(0.98 * medianFigures(oracle).hits);
});

it("the planned queues send requests to the pods that cache their prefixes", () => {
  const trace = firstOf("40 prefixes");
  const queued = figuresOf(trace, withQueues(trace, 1));
  expect(queued.hits).toBeGreaterThan(0.95 * figures("40 prefixes", "prefix oracle").hits);
  expect(queued.p95).toBeLessThan(1.15 * figures("40 prefixes", "cost oracle").p95);
  expect(queued.queue).toBeLessThanOrEqual(1);
});

it("the planned queues keep the p95 and the engine queue low with slow engines", () => {
  const name = "40 prefixes, slow engines";
  const queued = figuresOf(firstOf(name), withQueues(firstOf(name), 1));
  expect(queued.p95).toBeLessThan(1.15 * figures(name, "planned").p95);
  expect(queued.laterQueue).toBeLessThanOrEqual(1);
});

it("the planned queues keep the queues of prefillers at 1 or below and raise the p95 by less than 15 %", () => {
  const trace = firstOf("prefill and decode");
  const queued = figuresOf(trace, withQueues(trace, 1));
  expect(queued.p95).toBeLessThan(1.15 * figures("prefill and decode", "planned").p95);
  expect(queued.queue).toBeLessThanOrEqual(1);
  expect(queued.failed).toBe(0);
});

it("a client whose requests fail on every pod delays other clients as little as if they succeeded", () => {
  const honest = firstOf("nothing shared, 4 pods");
  const p99With = (fails: boolean) => {
    const random = new Random(3);
    const others = arrivals(random, { requestsPerSecond: 20, until: 40_000 }, () => ({
      ...{ prompt: random.text(20), outputTokens: 1, tenant: "failing", fails },
    }));
    const requests = [...honest.requests, ...others].sort((one, other) => one.at - other.at);
    const run = simulate({ ...honest, requests }, routerOf("planned", honest));
    const outcomes = run.outcomes.filter(({ request }) => request.tenant === undefined);
    return figuresOf(honest, { ...run, outcomes }).p99;
  };
  expect(p99With(true)).toBeLessThan(1.1 * p99With(false));
});

it.each(["planned", "planned, unwatched", "planned, 3 replicas"])(
  "short requests spread evenly over equal pods: %s",
  (router) => {
    const random = new Random(1);
    const requests = arrivals(random, { requestsPerSecond: 20, until: 30_000 }, () => ({
      ...{ prompt: random.text(random.between(5, 120)), outputTokens: random.between(5, 30) },
    }));
    const trace = { name: "short requests", pods: 4, measureFrom: 0, requests };
    expect(figuresOf(trace, simulate(trace, routerOf(router, trace))).spread).toBeLessThan(1.2);
  },
);

describe("oracles", () => {
  it("the cost oracle is faster than random routing", () => {
    expect(figures("nothing shared, 4 pods", "cost oracle").mean).toBeLessThan(
      0.8 * figures("nothing shared, 4 pods", "random").mean,
    );
  });

  it("the prefix oracle has more cache hits than round robin", () => {
    expect(figures("chats", "prefix oracle").hits).toBeGreaterThan(
      figures("chats", "round robin").hits + 10,
    );
  });
});

it("requests on a dead pod and requests sent before the pool knows of the death fail", () => {
  const trace: Trace = {
    name: "a pod dies",
    pods: 2,
    measureFrom: 0,
    changes: [{ at: 100, pod: 0, change: "dies" }],
    requests: [0, 50, 500, 2_000].map((at) => ({ at, prompt: `${at}`, outputTokens: 1_000 })),
  };
  const first: Router = { route: (_, [pod]) => pod && { pod } };
  const { outcomes } = simulate(trace, first);
  expect(outcomes.map(({ failed, pod }) => [failed, pod])).toEqual([
    [true, 0],
    [true, 0],
    [true, 0],
    [false, 1],
  ]);
});

it("the figures of several runs are the medians of each", () => {
  const of = (mean: number, p95: number) => ({ ...figuresOfNothing, mean, p95 });
  expect(medianFigures([of(1, 30), of(2, 10), of(9, 20)])).toMatchObject({ mean: 2, p95: 20 });
});

const figuresOfNothing = figuresOf(
  { name: "", pods: 1, requests: [], measureFrom: 0 },
  { outcomes: [], waiting: [] },
);

describe("agents, whose turns follow their answers", () => {
  it("answers sessions that fit into the caches with a p95 at most 40 % above the cost oracle", () => {
    const planned = figures("agent sessions", "planned");
    const oracle = figures("agent sessions", "cost oracle");
    expect(planned.p95).toBeLessThan(1.4 * oracle.p95);
    expect(planned.hits).toBeGreaterThan(0.95 * oracle.hits);
  });

  it("answers most turns in time by holding cold prompts if the sessions do not fit into the caches", () => {
    const trace = firstOf("agent sessions, full caches");
    const queued = figuresOf(trace, withQueues(trace, 1));
    expect(queued.failed).toBe(0);
    expect(queued.goodput).toBeGreaterThan(60);
    expect(figures("agent sessions, full caches", "planned").goodput).toBeLessThan(30);
  });

  it("does not hold chats while sessions fill the caches", () => {
    const trace = firstOf("agents and chats, full caches");
    const { outcomes, waiting } = withQueues(trace, 1);
    const chats = outcomes.filter(({ request }) => request.prompt.startsWith("chat "));
    expect(figuresOf(trace, { outcomes: chats, waiting }).p50).toBeLessThan(100);
    expect(figuresOf(trace, { outcomes, waiting }).goodput).toBeGreaterThan(75);
  });
});
