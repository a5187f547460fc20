import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { metrics } from "../cycles.fixture.ts";
import { type LiveState, newLiveState } from "../endpoints/endpoint.ts";
import { constants } from "../load-constants.ts";
import { UnobservedRequests } from "./unobserved-requests.ts";

const { lagMs, recentMs } = constants;

/**
 * A server with named loads. `ended` and `prefilled` list the loads that ended and those whose prompts are computed, in
 * order.
 */
function server() {
  const live: LiveState = newLiveState();
  const ended: string[] = [];
  const prefilled = new Set<string>();
  const told: Array<readonly [name: string, at: number]> = [];
  const load = (name: string) => {
    live.runningRequests += 1;
    return {
      live,
      promptTokens: 1_000,
      endPrefill: () => void prefilled.add(name),
      firstTokenReported: (at: number) => void told.push([name, at]),
      end() {
        live.runningRequests -= 1;
        ended.push(name);
      },
    };
  };
  const read = (at: number, running: number, waiting = 0) => {
    live.metrics = metrics({ at, runningRequests: running, waitingRequests: waiting });
  };
  /** Sets metrics of a server that counts first tokens. */
  const readFirstTokens = (at: number, firstTokens: number, running: number) => {
    live.metrics = metrics({ at, firstTokens, runningRequests: running });
  };
  return { live, load, read, readFirstTokens, ended, prefilled, told };
}

const settled = 10_000 + recentMs;

describe("UnobservedRequests", () => {
  it("ends the oldest loads when the server has fewer requests", () => {
    const { live, load, read, ended } = server();
    const loads = new UnobservedRequests(live);
    for (const [at, name] of ["a", "b", "c"].entries()) loads.add(load(name), 10_000 - 3 + at);
    read(settled, 2, 1);
    loads.read();
    expect(ended).toEqual([]);
    read(settled + 50, 1);
    loads.read();
    expect(ended).toEqual(["a", "b"]);
    read(settled + 100, 0);
    loads.read();
    expect(ended).toEqual(["a", "b", "c"]);
    expect(live.runningRequests).toBe(0);
  });

  it("counts a load on its way to the server, whatever the metrics report", () => {
    const { live, load, read, ended } = server();
    const loads = new UnobservedRequests(live);
    loads.add(load("a"), 10_000);
    read(10_000 + lagMs, 0);
    loads.read();
    expect(live.runningRequests).toBe(1);
    read(10_000 + lagMs + 1, 0);
    loads.read();
    expect(live.runningRequests).toBe(0);
    expect(ended).toEqual([]);
  });

  it("removes the prompts of loads that no longer count", () => {
    const { live, load, read, prefilled } = server();
    const loads = new UnobservedRequests(live);
    for (const name of ["a", "b", "c", "d"]) loads.add(load(name), 10_000);
    // Two of the four have ended. The newer of the remaining two waits.
    read(10_000 + lagMs + 1, 1, 1);
    loads.read();
    expect(live.runningRequests).toBe(2);
    expect([...prefilled]).toEqual(["a", "b", "c"]);
  });

  it("counts a load again when it reaches the server late, and ends it if it never does", () => {
    const { live, load, read, ended } = server();
    const loads = new UnobservedRequests(live);
    for (const name of ["a", "b"]) loads.add(load(name), 10_000);
    const counts = [
      [1_000, 0],
      [2_000, 1],
      [3_000, 2],
      [recentMs + 1, 1],
    ].map(([after = 0, there = 0]) => {
      read(10_000 + after, there);
      loads.read();
      return live.runningRequests;
    });
    expect(counts).toEqual([0, 1, 2, 1]);
    expect(ended).toEqual(["a"]);
  });

  it("subtracts the observed requests from the requests of the server", () => {
    const { live, load, read, ended } = server();
    const loads = new UnobservedRequests(live);
    loads.add(load("a"), 0);
    loads.add(load("b"), 0);
    load("watched");
    read(settled, 2);
    loads.read();
    expect(ended).toEqual(["a"]);
    expect(live.runningRequests).toBe(2);
  });

  it("keeps only the prompts of the waiting requests, which are the newest", () => {
    const { live, load, read, prefilled } = server();
    const loads = new UnobservedRequests(live);
    for (const name of ["a", "b", "c"]) loads.add(load(name), 0);
    read(settled, 2, 1);
    loads.read();
    expect([...prefilled]).toEqual(["a", "b"]);
  });

  describe("with a server that counts first tokens", () => {
    /** A server with 70 first tokens, and four requests that were sent at 0. */
    function four() {
      const one = server();
      const loads = new UnobservedRequests(one.live);
      one.readFirstTokens(0, 70, 0);
      for (const name of ["a", "b", "c", "d"]) loads.add(one.load(name), 0);
      const settle = (at: number, firstTokens: number, running = 4) => {
        one.readFirstTokens(at, firstTokens, running);
        loads.read();
        return [...one.prefilled];
      };
      return { ...one, loads, settle };
    }

    it("removes one prompt per first token, oldest first, even for requests on their way", () => {
      const { settle } = four();
      expect(settle(50, 70)).toEqual([]);
      expect(settle(100, 71)).toEqual(["a"]);
      expect(settle(lagMs + 100, 73)).toEqual(["a", "b", "c"]);
    });

    it("excludes the first tokens that the picker observed", () => {
      const { live, settle } = four();
      live.firstTokens += 2;
      expect(settle(50, 71)).toEqual([]);
      expect(settle(100, 72)).toEqual([]);
      expect(settle(150, 73)).toEqual(["a"]);
    });

    it("takes only its share of the first tokens if other pickers have requests there", () => {
      const { settle } = four();
      expect(settle(50, 74, 8)).toEqual(["a", "b"]);
    });

    it("reports the first metrics that count a response, and nothing if the load ends otherwise", () => {
      const { live, load, read, readFirstTokens, told } = server();
      const loads = new UnobservedRequests(live);
      readFirstTokens(9_000, 7, 0);
      loads.read();
      for (const name of ["a", "b", "c"]) loads.add(load(name), 10_000);
      readFirstTokens(10_050, 8, 3);
      loads.read();
      expect(told).toEqual([["a", 10_050]]);
      read(settled, 0);
      loads.read();
      expect(told).toEqual([["a", 10_050]]);
    });

    it("starts again after the server restarts", () => {
      const { settle } = four();
      expect(settle(50, 1)).toEqual([]);
      expect(settle(100, 2)).toEqual(["a"]);
    });

    it("removes a prompt without a first token once the server had the time to compute it", () => {
      const { settle } = four();
      expect(settle(lagMs + 1_000, 70)).toEqual([]);
      expect(settle(lagMs + 1_001, 70)).toEqual(["a", "b", "c", "d"]);
    });

    it("does not keep surplus first tokens for later requests", () => {
      const { live, load, loads, settle } = four();
      expect(settle(50, 80)).toEqual(["a", "b", "c", "d"]);
      loads.add(load("e"), 60);
      expect(live.runningRequests).toBe(5);
      expect(settle(100, 80, 5)).not.toContain("e");
    });
  });

  it("ends loads by age, and all of them when their server leaves", () => {
    const { live, load, ended } = server();
    const loads = new UnobservedRequests(live);
    loads.add(load("old"), 1_000);
    loads.add(load("young"), 2_000);
    loads.expire(2_000);
    expect(ended).toEqual(["old"]);
    expect(live.runningRequests).toBe(1);
    loads.expire();
    expect(ended).toEqual(["old", "young"]);
  });

  it("counts at least the server's requests, and at most these plus the requests on their way", () => {
    const step = fc.record({
      after: fc.integer({ min: 0, max: 400 }),
      sends: fc.integer({ min: 0, max: 5 }),
      ends: fc.integer({ min: 0, max: 5 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const { live, load, read, ended } = server();
        const loads = new UnobservedRequests(live);
        const sentAt: number[] = [];
        let now = 0;
        let there = 0;
        for (const { after, sends, ends } of steps) {
          now += after;
          for (let n = 0; n < sends; n += 1) {
            loads.add(load(String(sentAt.length)), now);
            sentAt.push(now);
          }
          there = Math.max(0, there + sends - ends);
          read(now, there);
          loads.read();
          const young = sentAt.filter((at) => at >= now - lagMs).length;
          expect(live.runningRequests).toBeLessThanOrEqual(there + young);
          expect(live.runningRequests).toBeGreaterThanOrEqual(Math.min(there, sentAt.length));
          expect(ended).toEqual([...ended].sort((a, b) => Number(a) - Number(b)));
        }
        loads.expire(Number.POSITIVE_INFINITY);
        expect(live.runningRequests).toBe(0);
      }),
    );
  });
});
