import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { endpoint, podsOf } from "../cycles.fixture.ts";
import type { Endpoint } from "../endpoints/endpoint.ts";
import { PairHealth } from "./pair-health.ts";

const four = (name: string): Endpoint[] =>
  [0, 1, 2, 3].map((at) => endpoint(`${name}${at}`, { ip: `10.0.${name.length}.${at}` }));
const prefillers = four("p");
const decoders = four("dd");
const [p0, p1] = prefillers as [Endpoint, Endpoint];
const [d0, d1] = decoders as [Endpoint, Endpoint];
const timing = { backoffMs: 1_000, maxBackoffMs: 8_000, probeMs: 500, worksMs: 60_000 };
const others = (pods: readonly Endpoint[], pod: Endpoint) => pods.filter((each) => each !== pod);
const allowed = (health: PairHealth, decoder: Endpoint, now: number) =>
  podsOf(health.prefillers(prefillers, now, decoder));
const all = podsOf(prefillers);

/** Every pair works except the pairs that `isBad` selects. */
function worked(health: PairHealth, now: number, isBad = (_p: Endpoint, _d: Endpoint) => false) {
  for (const prefiller of prefillers)
    for (const decoder of decoders)
      if (isBad(prefiller, decoder)) health.failed(prefiller, decoder, now);
      else health.succeeded(prefiller, decoder, now);
}

describe("a failed pair", () => {
  it("is avoided for its back-off, then probed by one request; the back-off doubles up to its maximum", () => {
    const health = new PairHealth(timing);
    let now = 0;
    for (const backoff of [1_000, 2_000, 4_000, 8_000, 8_000]) {
      health.failed(p0, d0, now);
      expect(allowed(health, d0, now + backoff - 1)).toEqual(podsOf(others(prefillers, p0)));
      now += backoff;
      expect(allowed(health, d0, now)).toEqual(all);
      health.sent(p0, d0, now);
      expect(allowed(health, d0, now)).toEqual(podsOf(others(prefillers, p0)));
    }
    health.succeeded(p0, d0, now);
    expect(allowed(health, d0, now)).toEqual(all);
    health.failed(p0, d0, now);
    expect(health.excluded(now)).toEqual([
      { prefiller: p0.id, decoder: d0.id, failures: 1, remainingMs: 1_000 },
    ]);
  });

  it("is probed again if a probe gets no response", () => {
    const health = new PairHealth(timing);
    health.failed(p0, d0, 0);
    health.sent(p0, d0, 1_000);
    expect(allowed(health, d0, 1_499)).not.toContain("p0");
    expect(allowed(health, d0, 1_500)).toContain("p0");
  });

  it("counts failures of requests in flight as one failure", () => {
    const health = new PairHealth(timing);
    for (let at = 0; at < 50; at += 1) health.failed(p0, d0, at);
    expect(health.excluded(50)).toMatchObject([{ failures: 1, remainingMs: 950 }]);
  });

  it("does not exclude another pair", () => {
    const health = new PairHealth(timing);
    health.failed(p0, d0, 0);
    expect(allowed(health, d1, 0)).toEqual(all);
  });
});

describe("response headers of a sidecar", () => {
  const answered = (...headers: Array<[string, string]>) => {
    const health = new PairHealth(timing);
    health.failed(p0, d0, 0);
    health.answered(new Map(headers), p0, d0, 1_000);
    return health.excluded(1_000).map(({ failures }) => failures);
  };
  it.each<[what: string, headers: Array<[string, string]>, failures: number[]]>([
    ["no header", [], []],
    ["a success of the prefiller", [["x-prefilled-by", p0.address]], []],
    ["a success of another prefiller", [["x-prefilled-by", p1.address]], []],
    ["a failure of the prefiller", [["x-prefill-failed", `${p0.address} unreachable`]], [2]],
    ["a failure of another prefiller", [["x-prefill-failed", `${p0.address}0 unreachable`]], []],
  ])("%s (%j) results in failures %j", (_, headers, failures) => {
    expect(answered(...headers)).toEqual(failures);
  });
});

describe("pods", () => {
  it("a pod that fails in two pairs is avoided in all pairs until one success", () => {
    const health = new PairHealth(timing);
    worked(health, 0);
    health.failed(p0, d0, 1);
    expect(allowed(health, d1, 1)).toContain("p0");
    health.failed(p0, d1, 1);
    for (const decoder of decoders) expect(allowed(health, decoder, 1)).not.toContain("p0");
    health.succeeded(p0, d0, 2);
    expect(allowed(health, decoders[3] as Endpoint, 2)).toContain("p0");
  });

  it("a decoder that fails in two pairs is avoided until one of them is due", () => {
    const health = new PairHealth(timing);
    worked(health, 0);
    for (const prefiller of [p0, p1]) health.failed(prefiller, d0, 1);
    expect(podsOf(health.decoders(decoders, 1, undefined))).toEqual(podsOf(others(decoders, d0)));
    expect(podsOf(health.decoders(decoders, 1_001, undefined))).toEqual(podsOf(decoders));
    // The prefillers are not at fault.
    expect(allowed(health, d1, 1)).toEqual(all);
  });

  it("a removed pod is forgotten", () => {
    const health = new PairHealth(timing);
    health.failed(p0, d0, 0);
    health.failed(p1, d1, 0);
    health.retain([...others(prefillers, p0), ...others(decoders, d1)]);
    expect(health.excluded(0)).toEqual([]);
  });
});

describe("failingSeconds", () => {
  const failing = (health: PairHealth, now: number) =>
    health
      .pods([...prefillers, ...decoders], now)
      .map(({ pod, failingSeconds }) => [pod, failingSeconds]);

  it("counts from a pod's second failed pair to its last failure, and is 0 after a success", () => {
    const health = new PairHealth(timing);
    worked(health, 0);
    expect(failing(health, 0)).toEqual([...prefillers, ...decoders].map(({ pod }) => [pod, 0]));
    health.failed(p0, d0, 1_000);
    expect(failing(health, 1_000)).toContainEqual(["p0", 0]);
    health.failed(p0, d1, 3_000);
    health.sent(p0, d0, 20_000);
    health.failed(p0, d0, 20_000);
    expect(failing(health, 50_000)).toContainEqual(["p0", 17]);
    expect(failing(health, 50_000)).toContainEqual(["dd0", 0]);
    health.succeeded(p0, d0, 50_000);
    expect(failing(health, 50_000)).toContainEqual(["p0", 0]);
  });

  it("is 0 if only one pair fails, and not reported without a recent success", () => {
    const health = new PairHealth(timing);
    worked(health, 0);
    for (let at = 1_000; at < 60_000; at += 10_000) {
      health.sent(p0, d0, at);
      health.failed(p0, d0, at);
    }
    expect(failing(health, 60_000)).toContainEqual(["p0", 0]);
    expect(failing(health, 60_001)).toEqual([]);
  });

  it("is 0 while one of the pod's ranks works", () => {
    const health = new PairHealth(timing);
    const rank = endpoint("p0", { rank: 1, port: 8001 });
    worked(health, 0);
    for (const decoder of [d0, d1])
      for (const at of [1_000, 30_000]) health.failed(p0, decoder, at);
    expect(health.pods([p0], 30_000)).toMatchObject([{ pod: "p0", failingSeconds: 29 }]);
    health.succeeded(rank, d0, 30_000);
    expect(health.pods([p0, rank], 30_000)).toMatchObject([{ pod: "p0", failingSeconds: 0 }]);
  });
});

describe("exclusion of all pods", () => {
  it("allows every prefiller if all fail, and does not exclude all decoders", () => {
    const health = new PairHealth(timing);
    worked(health, 0);
    worked(health, 1, () => true);
    for (const decoder of decoders) expect(allowed(health, decoder, 1)).toEqual(all);
    expect(health.decoders(decoders, 1, undefined).length).toBeGreaterThan(0);
  });
});

const place = fc.tuple(fc.nat(3), fc.nat(3));

describe("four prefillers and four decoders", () => {
  /** Sends requests one after another, each through an allowed pair. Returns the highest number of pairs avoided. */
  function run(
    health: PairHealth,
    picks: ReadonlyArray<readonly [number, number]>,
    isBad: (prefiller: Endpoint, decoder: Endpoint, at: number) => boolean,
    now = 0,
  ): number {
    let most = 0;
    picks.forEach(([p, d], at) => {
      const time = now + at * 100;
      const choices = health.decoders(decoders, time, undefined);
      expect(choices.length).toBeGreaterThan(0);
      const decoder = choices[d % choices.length] as Endpoint;
      const left = health.prefillers(prefillers, time, decoder);
      expect(left.length).toBeGreaterThan(0);
      const prefiller = left[p % left.length] as Endpoint;
      health.sent(prefiller, decoder, time);
      if (isBad(prefiller, decoder, at)) health.failed(prefiller, decoder, time);
      else health.succeeded(prefiller, decoder, time);
      const closed = decoders.map(
        (each) =>
          prefillers.length -
          (health.decoders(decoders, time, undefined).includes(each)
            ? health.prefillers(prefillers, time, each).length
            : 0),
      );
      most = Math.max(
        most,
        closed.reduce((sum, count) => sum + count),
      );
    });
    return most;
  }

  it("avoid at most the one bad pair of sixteen", () => {
    fc.assert(
      fc.property(place, fc.array(place, { minLength: 50, maxLength: 200 }), ([p, d], picks) => {
        const most = run(
          new PairHealth(timing),
          picks,
          (prefiller, decoder) => prefiller === prefillers[p] && decoder === decoders[d],
        );
        expect(most).toBeLessThanOrEqual(1);
      }),
    );
  });

  it("allow every working pair again after 500 requests with random failures", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(place, fc.boolean()), { minLength: 500, maxLength: 500 }),
        (rounds) => {
          const health = new PairHealth(timing);
          run(
            health,
            rounds.map(([pick]) => pick),
            (_p, _d, at) => rounds[at]?.[1] === true,
          );
          // Each pair is used as soon as it is allowed, and works.
          let now = 50_000;
          for (let round = 0; round < 3; round += 1) {
            now += timing.maxBackoffMs;
            for (const decoder of decoders)
              for (const prefiller of health.prefillers(prefillers, now, decoder)) {
                health.sent(prefiller, decoder, now);
                health.succeeded(prefiller, decoder, now);
              }
          }
          expect(health.excluded(now)).toEqual([]);
          expect(health.decoders(decoders, now, undefined)).toHaveLength(4);
          for (const decoder of decoders) expect(allowed(health, decoder, now)).toEqual(all);
        },
      ),
      { numRuns: 30 },
    );
  });
});
