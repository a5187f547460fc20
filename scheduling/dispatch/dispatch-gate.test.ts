import { describe, expect, it } from "vitest";
import { endpoint, endpointsWith, metrics, now, pluginOf, podsOf } from "../cycles.fixture.ts";
import type { Endpoint, LiveState } from "../endpoints/endpoint.ts";
import type { SaturationDetector } from "../endpoints/saturation.ts";
import { constants } from "../load-constants.ts";
import { endpointLoad } from "../server-model/endpoint-load.ts";
import { ServerModels } from "../server-model/server-models.ts";
import { DispatchGate, type SendableRequest } from "./dispatch-gate.ts";
import type { Moment } from "./wait-for-cheaper.ts";

const { firstSlots } = constants;

const credit = (
  endpoints: readonly Endpoint[],
  { type = "utilization-detector", pickers = 1, servers = new ServerModels() } = {},
) => {
  const parameters = type === "concurrency-detector" ? { maxConcurrency: 4 } : {};
  const detector = pluginOf(type, parameters).detector as SaturationDetector;
  const made = new DispatchGate<SendableRequest>({ detector, servers, now: () => now });
  made.share(pickers);
  made.use(endpoints);
  return made;
};

const reading = { sentBefore: 0, prefillingBefore: 0, external: 0, externalNow: 0 };
const busy = (runningRequests: number, change = {}): Partial<LiveState> => ({
  metrics: metrics({ runningRequests, ...change }),
  runningRequests,
  reading,
});

describe("endpointLoad", () => {
  const read = (change: Partial<LiveState>) => endpoint("a", { live: change }).live;
  const there = (runningRequests: number, waitingRequests = 0) =>
    metrics({ runningRequests, waitingRequests });

  it.each<[string, Partial<LiveState>, number]>([
    ["the requests sent if no metrics were read", { runningRequests: 3 }, 3],
    [
      "the requests sent even if the server does not report them yet",
      { runningRequests: 3, metrics: there(0), reading },
      3,
    ],
    [
      "without ended requests even if the server still reports them",
      { runningRequests: 1, metrics: there(3), reading },
      1,
    ],
    [
      "the sum of the requests sent and the external load",
      { runningRequests: 1, metrics: there(3, 2), reading: { ...reading, external: 4 } },
      5,
    ],
    [
      "for unobserved requests, the requests reported plus those sent since",
      {
        ...{ runningRequests: 9, unobservedRequests: 9, sentRequests: 20, metrics: there(2) },
        reading: { ...reading, sentBefore: 17 },
      },
      5,
    ],
    [
      "for unobserved requests, at most the requests sent",
      {
        ...{ runningRequests: 2, unobservedRequests: 2, sentRequests: 2, metrics: there(9) },
        reading: { ...reading, sentBefore: 2 },
      },
      2,
    ],
  ])("is %s", (_, live, expected) => {
    expect(endpointLoad(read(live))).toBe(expected);
  });
});

describe("DispatchGate", () => {
  it("offers the servers with a free slot", () => {
    const made = credit(endpointsWith(busy(firstSlots), busy(firstSlots - 1), busy(0)));
    expect(podsOf(made.view().free)).toEqual(["b", "c"]);
    expect(made.freeSlots()).toBe(2);
    expect(made.saturation()).toBeCloseTo((2 - 1 / firstSlots) / 3);
  });

  it("has no free slot if all slots are used or the pool is empty", () => {
    const made = credit(endpointsWith(busy(firstSlots), busy(firstSlots + 3)));
    expect(made.freeSlots()).toBe(0);
    expect(made.saturation()).toBe(1);
    made.use([]);
    expect(made.freeSlots()).toBe(0);
    expect(made.saturation()).toBe(1);
  });

  it("excludes a server that the detector reports as full, and keeps the others", () => {
    const made = credit(endpointsWith(busy(1, { waitingRequests: 500 }), busy(1)));
    expect(podsOf(made.view().free)).toEqual(["b"]);
    expect(made.saturation()).toBeLessThan(1);
  });

  it("holds a cold prompt only while the servers have prompts to compute", () => {
    const sent: string[] = [];
    const request = (promptTokens: number): SendableRequest => ({
      ...{ flow: { id: "f", priority: 0 }, bytes: 1, promptTokens, receivedAt: now },
      isHeld: () => true,
      sendTo: () => sent.push("sent") > 0,
    });
    // The pool computes 10,000 tokens per second at first.
    const gate = credit(endpointsWith(busy(1), busy(1)));
    expect(gate.take(request(4_000))).toBe(false);
    expect(gate.take(request(3_900))).toBe(true);
    expect(sent).toHaveLength(1);
  });

  it("respects the limit in the detector's configuration", () => {
    const made = credit(endpointsWith(busy(4), busy(3)), { type: "concurrency-detector" });
    expect(podsOf(made.view().free)).toEqual(["b"]);
  });

  it("starts with the slots in the detector's configuration", () => {
    const [a] = endpointsWith(busy(0));
    expect(credit([a]).slotsOf(a)).toBe(firstSlots);
    expect(credit([a], { type: "concurrency-detector" }).slotsOf(a)).toBe(4);
  });

  it("excludes servers with old metrics, unless all metrics are old", () => {
    const old = (running: number) => busy(running, { at: now - 10_000 });
    expect(podsOf(credit(endpointsWith(old(0), busy(1))).view().free)).toEqual(["b"]);
    expect(podsOf(credit(endpointsWith(old(firstSlots), old(1))).view().free)).toEqual(["b"]);
    expect(credit(endpointsWith({}, {})).freeSlots()).toBe(2);
  });

  it("keeps the slots of a server that responds although its metrics are old", () => {
    const servers = endpointsWith(busy(0, { at: now - 10_000 }), busy(1));
    const models = new ServerModels();
    models.health.ended(servers[0], "base", "succeeded", { now, random: () => 0.5 });
    expect(podsOf(credit(servers, { servers: models }).view().free)).toEqual(["a", "b"]);
  });

  it("has no free slot at an ejected server until its probe is due", () => {
    const [a, b] = endpointsWith(busy(0), busy(0));
    let time = now;
    const detector = pluginOf("concurrency-detector", {}).detector as SaturationDetector;
    const servers = new ServerModels();
    const made = new DispatchGate({ detector, servers, now: () => time });
    made.use([a, b]);
    const free = () => {
      made.changed();
      return podsOf(made.view().free);
    };
    for (let at = 0; at < 3; at += 1) {
      expect(free()).toEqual(["a", "b"]);
      servers.health.ended(a, "base", "failed", { now: time, random: () => 0.5 });
    }
    expect(free()).toEqual(["b"]);
    time += 1_001;
    expect(free()).toEqual(["a", "b"]);
  });

  it("limits a server that reports no requests to the initial slots while another server reports requests", () => {
    const silent = { metrics: metrics({ reportsRequests: false }), runningRequests: firstSlots };
    expect(podsOf(credit(endpointsWith(silent, busy(1))).view().free)).toEqual(["b"]);
    expect(podsOf(credit(endpointsWith(silent)).view().free)).toEqual(["a"]);
  });

  it("limits a server without metrics to the initial slots until it has been in the pool for two seconds", () => {
    const [a] = endpointsWith({ runningRequests: firstSlots });
    let time = now;
    const detector = pluginOf("utilization-detector").detector as SaturationDetector;
    const made = new DispatchGate({ detector, servers: new ServerModels(), now: () => time });
    made.use([a]);
    expect(made.freeSlots()).toBe(0);
    time += 2_001;
    made.changed();
    expect(made.freeSlots()).toBe(1);
  });

  it("excludes servers with a full step of prompts to compute if flows compete", () => {
    const computes = (streamedTokens: number, firstTokens: number) => ({
      ...busy(1),
      ...{ streamedTokens, runningTokens: 4_096, firstTokens },
    });
    const made = credit(endpointsWith(computes(1_024, 0), computes(1_023, 1), computes(4_096, 1)));
    expect(made.freeSlots(2)).toBe(1);
    expect(podsOf(made.view().free)).toEqual(["b"]);
    expect(made.saturation()).toBeCloseTo(1 / firstSlots);
    expect(made.freeSlots(1)).toBe(3);
    // If the picker does not see first tokens, the prompts may have been computed long ago.
    const unseen = credit(endpointsWith(computes(4_096, 0), computes(0, 0)));
    expect(unseen.freeSlots(2)).toBe(2);
  });

  it("excludes a server that is down", () => {
    const made = credit(endpointsWith({ ...busy(0), isDown: true }, busy(1)));
    expect(podsOf(made.view().free)).toEqual(["b"]);
  });

  it("shares the slots with other pickers", () => {
    const beside = (running: number, external: number) => ({
      ...busy(running),
      reading: { ...reading, external },
    });
    const made = credit(endpointsWith(beside(3, 4), beside(2, 5)), { pickers: 3 });
    expect(podsOf(made.view().free)).toEqual(["b"]);
    made.share(1);
    expect(podsOf(made.view().free)).toEqual(["a", "b"]);
    // A picker also uses half of the slots that the other pickers leave free.
    const idle = credit(endpointsWith(beside(5, 0), beside(4, 0)), { pickers: 3 });
    expect(podsOf(idle.view().free)).toEqual(["b"]);
  });

  it("learns more slots when one of several pickers uses its part of them", () => {
    const [a] = endpointsWith(busy(6));
    const made = credit([a], { pickers: 2 });
    made.learn(a);
    Object.assign(a.live, { metrics: metrics({ at: now + 500, runningRequests: 6 }) });
    made.learn(a);
    expect(made.slotsOf(a)).toBe(firstSlots + 1);
  });

  it("learns more slots when queued requests use all that they may use", () => {
    const [a] = endpointsWith(busy(firstSlots - 1));
    const made = credit([a]);
    made.learn(a);
    expect(made.slotsOf(a)).toBe(firstSlots);
    made.learn(a, 0.1);
    expect(made.slotsOf(a)).toBe(firstSlots + 1);
  });

  it("keeps the slots of a server while requests wait there for other pickers' prompts", () => {
    const [a] = endpointsWith({});
    const made = credit([a], { pickers: 3 });
    const reads = (at: number, unanswered: number) => {
      const counts = { endedRequests: 100, firstTokens: 103 - unanswered };
      const there = metrics({ at, runningRequests: 3, waitingRequests: 5, ...counts });
      Object.assign(a.live, { metrics: there, externalTokens: 4_096, reading });
      made.learn(a);
      return made.slotsOf(a);
    };
    reads(0, 0);
    for (let at = 500; at < 3_000; at += 500) expect(reads(at, 1)).toBe(firstSlots);
    expect([reads(3_000, 0), reads(3_500, 0)].at(-1)).toBe(3);
  });

  it("uses the limit that the server reports", () => {
    const told = (running: number) => busy(running, { maxRunningRequests: 4 });
    const [a, b] = endpointsWith(told(3), told(4));
    const made = credit([a, b]);
    expect(made.slotsOf(a)).toBe(4);
    expect(made.isLimitKnown(a)).toBe(true);
    expect(podsOf(made.view().free)).toEqual(["a"]);
  });

  it("knows the limit of a server once requests wait there", () => {
    const [a] = endpointsWith({ runningRequests: firstSlots + 2, reading });
    const made = credit([a]);
    expect(made.isLimitKnown(a)).toBe(false);
    for (const at of [now, now + 500, now + 1_000]) {
      a.live.metrics = metrics({ at, runningRequests: firstSlots, waitingRequests: 2 });
      a.live.sentRequests += 1;
      made.learn(a);
    }
    expect(made.isLimitKnown(a)).toBe(true);
    expect(credit([a], { type: "concurrency-detector" }).isLimitKnown(a)).toBe(true);
  });

  it("counts the requests sent to a server whose metrics are late or not read yet", () => {
    const late = (running: number) => busy(running, { at: now - 1_000, waitingRequests: 99 });
    const [a, b] = [late(firstSlots - 1), late(firstSlots)];
    expect(podsOf(credit(endpointsWith(a, b, busy(1))).view().free)).toEqual(["a", "c"]);
    const unread = (runningRequests: number) => ({ runningRequests });
    const made = credit(endpointsWith(unread(firstSlots), unread(firstSlots - 1), busy(1)));
    expect(podsOf(made.view().free)).toEqual(["b", "c"]);
  });

  it.each([
    ["llm-d.ai/role", "prefill", "decode"],
    ["fusioninfer.io/component-type", "prefiller", "decoder"],
  ])("has no free slot if one of two stages is full, by label %s", (label, ...roles) => {
    const [prefill, decode] = [busy(firstSlots), busy(0)].map((live, at) =>
      endpoint(roles[at] as string, { labels: { [label]: roles[at] as string }, live }),
    ) as [Endpoint, Endpoint];
    const made = credit([prefill, decode]);
    expect(made.freeSlots()).toBe(0);
    expect(made.view().saturation).toEqual({ effective: 1, prefill: 1, decode: 0 });
    prefill.live.runningRequests -= 1;
    made.changed();
    expect(made.freeSlots()).toBe(2);
    // A decoder prefills its prompts itself if no prefiller listens.
    prefill.live.isDown = true;
    made.changed();
    expect(made.freeSlots()).toBe(1);
  });

  it("returns the same list while the same endpoints are free", () => {
    const made = credit(endpointsWith(busy(firstSlots), busy(0)));
    const { free } = made.view();
    made.changed();
    expect(made.view().free).toBe(free);
  });

  it("gives a new server as many slots as the smallest other server", () => {
    const [a, b] = endpointsWith(busy(firstSlots), busy(0));
    const made = credit([a]);
    a.live.metrics = metrics({ runningRequests: firstSlots });
    made.learn(a);
    made.use([a, b]);
    expect(made.slotsOf(b)).toBe(firstSlots + 1);
    made.use([b]);
    expect(made.slotsOf(a)).toBeUndefined();
  });

  /** A request that records each call of `shouldWait`, and waits at the first. */
  const asking = () => {
    const asked: Array<readonly [string[], string[], Moment]> = [];
    const request: SendableRequest = {
      ...{ flow: { id: "f", priority: 0 }, bytes: 1, promptTokens: 1, receivedAt: now },
      shouldWait(all, free, moment) {
        asked.push([podsOf(all), podsOf(free), moment]);
        return asked.length === 1;
      },
      sendTo: () => true,
    };
    return { asked, request };
  };

  it("lets a request wait for a cheaper server, and sends it afterwards", () => {
    const { asked, request } = asking();
    const [a, b, c] = endpointsWith(busy(firstSlots), busy(0), { ...busy(0), isDown: true });
    const made = credit([a, b, c] as Endpoint[]);
    expect(made.take(request)).toBe(false);
    expect(made.take(request)).toBe(true);
    const until = new Map([
      [a, 0],
      [b, 0],
    ]);
    const moment = { now, msPerToken: 0.1, until };
    expect(asked).toEqual([
      [["a", "b"], ["b"], moment],
      [["a", "b"], ["b"], moment],
    ]);
  });

  it("passes the expected times until a free slot to a request", () => {
    const { asked, request } = asking();
    const full = busy(firstSlots, { waitingRequests: 1 });
    const [a, b] = endpointsWith({ ...full, msUntilSlot: 250 }, { ...busy(0), msUntilSlot: 100 });
    credit([a, b]).take(request);
    const [[, , { until }]] = asked as [[unknown, unknown, Moment]];
    expect([...until]).toEqual([
      [a, 250],
      [b, 0],
    ]);
  });

  it("lets a request compare only the servers that compute prompts", () => {
    const { asked, request } = asking();
    const of = (pod: string, role: string, running: number) =>
      endpoint(pod, { labels: { "llm-d.ai/role": role }, live: busy(running) });
    const made = credit([
      of("p", "prefill", firstSlots),
      of("q", "prefill", 0),
      of("d", "decode", 0),
    ]);
    made.take(request);
    expect(asked.map(([all, free]) => [all, free])).toEqual([[["p", "q"], ["q"]]]);
  });

  describe("with servers held back for higher bands", () => {
    const reserve = { used: 0.1, free: 0.1, least: 0.01, most: 1 / 6 };
    /** Ten servers. Those listed in `places` have free slots, and two servers are held back (`left`). */
    const tenOf = (places: readonly number[], { load = firstSlots - 1, roles = [""] } = {}) => {
      const servers = Array.from({ length: 10 }, (_, at) => {
        const live = busy(places.includes(at) ? load : firstSlots);
        const role = roles[at] ?? "";
        return endpoint(`s${at}`, {
          live,
          ...(role !== "" && { labels: { "llm-d.ai/role": role } }),
        });
      });
      const made = credit(servers);
      const left = servers.filter((each) => {
        each.live.runningRequests -= 1;
        made.changed();
        const isLeft = !made.hasSlotBeyond(reserve);
        each.live.runningRequests += 1;
        return isLeft;
      });
      return { made, servers, left: podsOf(left) };
    };
    const numbersOf = (pods: readonly string[]) => pods.map((pod) => Number(pod.slice(1)));

    it("holds back the same two servers of a full pool, in any order of the servers", () => {
      const { left, servers } = tenOf([]);
      expect(left).toHaveLength(2);
      const made = credit(servers.toReversed());
      for (const each of servers) {
        each.live.runningRequests -= 1;
        made.changed();
        expect(made.hasSlotBeyond(reserve)).toBe(!left.includes(each.pod));
        each.live.runningRequests += 1;
      }
    });

    it("sends a request to a server that is held back only if no other server can serve it", () => {
      const [first] = numbersOf(tenOf([]).left) as [number];
      const other = first === 9 ? 8 : 9;
      const { made, servers } = tenOf([first, other]);
      const sent: string[][] = [];
      const isFor = (pods: string[]) => pods.includes(`s${first}`);
      const request: SendableRequest = {
        ...{ flow: { id: "f", priority: 0 }, bytes: 1, promptTokens: 1, receivedAt: now },
        sendTo(endpoints) {
          sent.push(podsOf(endpoints));
          return isFor(podsOf(endpoints));
        },
      };
      made.changed();
      expect(made.take(request, reserve)).toBe(true);
      expect(made.take(request)).toBe(true);
      const both = servers
        .map(({ pod }) => pod)
        .filter((pod) => [`s${first}`, `s${other}`].includes(pod));
      expect(sent).toEqual([[`s${other}`], both, both]);
    });

    it("holds back no server while most servers have free slots", () => {
      const { made } = tenOf([0, 1, 2, 3], { load: 0 });
      made.changed();
      expect(made.hasSlotBeyond(reserve)).toBe(true);
      const request = asking();
      expect(made.take({ ...request.request, shouldWait: () => false }, reserve)).toBe(true);
    });

    it("holds back a share of each stage", () => {
      const roles = Array.from({ length: 10 }, (_, at) => (at < 5 ? "prefill" : "decode"));
      const stage = { used: 0.2, free: 0.2, least: 0.01, most: 1 / 6 };
      const { servers } = tenOf([], { roles });
      const made = credit(servers);
      const hasPlace = (prefiller: Endpoint, decoder: Endpoint) => {
        for (const { live } of [prefiller, decoder]) live.runningRequests -= 1;
        made.changed();
        const found = made.hasSlotBeyond(stage);
        for (const { live } of [prefiller, decoder]) live.runningRequests += 1;
        return found;
      };
      const found = servers
        .slice(0, 5)
        .map(
          (prefiller) => servers.slice(5).filter((decoder) => hasPlace(prefiller, decoder)).length,
        );
      expect(found.sort()).toEqual([0, 0, 3, 3, 3]);
    });
  });
});
