import { setTimeout } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { DispatchGate } from "../../../scheduling/dispatch/dispatch-gate.ts";
import type { Endpoint } from "../../../scheduling/endpoints/endpoint.ts";
import { settingsOf } from "../../../scheduling/flow-control/controllers.fixture.ts";
import { FlowController } from "../../../scheduling/flow-control/flow-controller.ts";
import { built } from "../../../scheduling/picker-configs.fixture.ts";
import { seeded } from "../../../testing/samples/seeded.ts";
import { objective, objects, pod } from "../datastore/objects.fixture.ts";
import type { FlowOutcome } from "../flow-observer.ts";
import { newEvents, standInPicker } from "../server/conversation.fixture.ts";
import type { Waiter } from "./admit.ts";
import { FlowAdmission } from "./flow-admission.ts";
import { newResponseId } from "./kept-state.ts";
import type { RoutedRequest } from "./pending-request.ts";
import type { QueuedRequest } from "./queued-request.ts";
import { accept, admit } from "./route.ts";

/** Sends random requests through the real queues, dispatch gate and scheduler, with a fake clock. */

const slots = 3;
const detector = `{type: concurrency-detector, parameters: {maxConcurrency: ${slots}}}`;
const fair = "weighted-fairness-policy";
const plugins = `plugins: [${detector}, {type: ${fair}}]
schedulingProfiles: [{name: default, plugins: []}]
saturationDetector: {pluginRef: concurrency-detector}`;
const flowControl = `flowControl:
  enableEviction: true
  defaultRequestTTL: 2s
  noEndpointRequestTTL: 1s
  priorityBands:
  - {priority: 0, maxRequests: 12, fairnessPolicyRef: ${fair}}
  - {priority: -1, maxRequests: 5}`;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "setInterval", "setImmediate", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/** The outcome of one request. */
class Asked implements Waiter {
  routedTimes = 0;
  refusedTimes = 0;
  cancelled = false;
  flight: RoutedRequest | undefined;
  cancel: (() => void) | undefined;

  routed(request: RoutedRequest): void {
    this.routedTimes += 1;
    this.flight = request;
    this.cancel = undefined;
  }

  refused(): void {
    this.refusedTimes += 1;
    this.cancel = undefined;
    // Like in an exchange: the stream ends, and the request with it.
    this.end();
  }

  end(): void {
    this.flight?.inFlight.end(0);
    this.flight = undefined;
  }
}

function newPool(random: () => number) {
  const picker = standInPicker({}, newEvents());
  const { scheduler } = built(plugins);
  const clock = { now: () => performance.now(), random };
  const controller = new FlowController<QueuedRequest>(settingsOf(`${plugins}\n${flowControl}`));
  const credit = new DispatchGate<QueuedRequest>({
    detector: scheduler.detector,
    servers: scheduler.state.servers,
    now: clock.now,
  });
  const outcomes: FlowOutcome[] = [];
  let waiting = 0;
  const observer = {
    waits: () => {
      waiting += 1;
    },
    waitsNoMore: () => {
      waiting -= 1;
    },
    decided: (_: unknown, outcome: FlowOutcome) => outcomes.push(outcome),
    passed: () => outcomes.push("Dispatched"),
    arrived() {},
    turned() {},
  };
  const admission = new FlowAdmission({
    ...{ controller, gate: credit, scheduler, clock, observer },
    evicts: true,
  });
  const { datastore } = picker;
  datastore.onEndpoints((endpoints) => admission.endpointsChanged(endpoints));
  return {
    ...{ controller, admission, outcomes },
    get waiting() {
      return waiting;
    },
    get endpoints() {
      return datastore.snapshot.endpoints;
    },
    picker: { ...picker, scheduler, clock, admission },
    usePods(count: number) {
      const objectives = [objective("shed", -1), objective("first", 9)];
      const pods = Array.from({ length: count }, (_, at) =>
        pod(`p${at}`, { ip: `10.0.0.${at + 1}` }),
      );
      datastore.update(objects({ pods, objectives }));
    },
  };
}

it.each([1, 2, 3, 4, 5, 6, 7, 8])(
  "no request is lost, answered twice or leaked, seed %i",
  (seed) => {
    const random = seeded(seed);
    const among = (count: number) => Math.floor(random() * count);
    const pool = newPool(random);
    pool.usePods(2);
    const all: Asked[] = [];
    const seen = new Set<ReturnType<typeof pool.endpoints.at>>();

    const arrive = () => {
      const asked = new Asked();
      all.push(asked);
      const headers = new Map([[":path", "/v1/completions"]]);
      const objectiveName = ["shed", "first", undefined][among(3)];
      if (objectiveName !== undefined) headers.set("x-llm-d-inference-objective", objectiveName);
      headers.set("x-llm-d-inference-fairness-id", `tenant-${among(3)}`);
      if (among(4) === 0) headers.set("x-llm-d-request-ttl-ms", String(among(300)));
      const body = Buffer.from('{"model":"m","prompt":"hello"}');
      try {
        const result = admit(
          accept({ headers, metadata: new Map(), body }, pool.picker, asked),
          pool.picker,
          asked,
        );
        if ("cancel" in result) asked.cancel = result.cancel;
        else asked.routed(result);
      } catch {
        asked.refused();
      }
    };
    const oneOf = (which: (asked: Asked) => boolean) => {
      const those = all.filter(which);
      return those[among(those.length)];
    };
    const steps = [
      ...[arrive, arrive, arrive],
      () => {
        const asked = oneOf(({ flight }) => flight !== undefined);
        const answer = new Map([[":status", among(3) === 0 ? "503" : "200"]]);
        asked?.flight?.inFlight.answered(answer, performance.now());
        asked?.end();
      },
      () => {
        const asked = oneOf(({ cancel }) => cancel !== undefined);
        if (asked === undefined) return;
        asked.cancel?.();
        asked.cancelled = true;
        asked.cancel = undefined;
      },
      () => vi.advanceTimersByTime(among(100)),
      () => {
        if (among(10) === 0) pool.usePods(among(4));
      },
    ];
    for (let step = 0; step < 3_000; step += 1) {
      steps[among(steps.length)]?.();
      for (const endpoint of pool.endpoints) {
        seen.add(endpoint);
        expect(endpoint.live.runningRequests).toBeLessThanOrEqual(slots);
      }
      expect(pool.waiting).toBe(pool.controller.size);
    }
    vi.advanceTimersByTime(50);
    pool.admission.close();
    for (const asked of all) asked.end();

    for (const { routedTimes, refusedTimes, cancelled, cancel } of all) {
      expect(cancel).toBeUndefined();
      expect(routedTimes).toBeLessThanOrEqual(1);
      expect(refusedTimes).toBeLessThanOrEqual(1);
      // A request that is dispatched and then refused was cut off.
      expect(routedTimes + refusedTimes + Number(cancelled)).toBeGreaterThanOrEqual(1);
      if (cancelled) expect(routedTimes + refusedTimes).toBe(0);
    }
    expect(pool.outcomes).toHaveLength(all.length);
    expect(pool.controller.size).toBe(0);
    expect(pool.waiting).toBe(0);
    for (const endpoint of seen) expect(endpoint?.live.runningRequests).toBe(0);
    for (const band of pool.controller.queues(performance.now()).bands)
      for (const flow of band.flows) expect(flow.inFlight).toBe(0);
    expect(new Set(pool.outcomes).size).toBeGreaterThanOrEqual(5);
  },
);

it("queued requests are sent to the server that responds, and not to a server that fails them immediately", () => {
  const pool = newPool(seeded(1));
  pool.usePods(2);
  const [answers, fails] = pool.endpoints.map(({ address }) => address);
  const all = Array.from({ length: 12 }, () => {
    const asked = new Asked();
    const headers = new Map([[":path", "/v1/completions"]]);
    const body = Buffer.from('{"model":"m","prompt":"p"}');
    const result = admit(
      accept({ headers, metadata: new Map(), body }, pool.picker, asked),
      pool.picker,
      asked,
    );
    if ("inFlight" in result) asked.routed(result);
    return asked;
  });
  const went = { [answers as string]: 0, [fails as string]: 0 };
  for (let turn = 0; turn < 20; turn += 1) {
    for (const asked of all) {
      const [endpoint] = asked.flight?.endpoints ?? [];
      if (endpoint === undefined) continue;
      went[endpoint.address] = (went[endpoint.address] ?? 0) + 1;
      const status = endpoint.address === fails ? "503" : "200";
      asked.flight?.inFlight.answered(new Map([[":status", status]]), performance.now());
      asked.end();
    }
    vi.advanceTimersByTime(1);
  }
  expect(went).toEqual({ [answers as string]: 9, [fails as string]: slots });
  pool.admission.close();
});

it("no part of a body is kept after its request is sent", async () => {
  const pool = newPool(seeded(1));
  pool.usePods(1);
  const headers = new Map([["content-type", "application/json"]]);
  const sent = Array.from({ length: slots + 1 }, () => {
    const body = Buffer.from('{"model":"m","prompt":"p"}');
    const asked = new Asked();
    const answer = admit(
      accept({ headers, metadata: new Map(), body }, pool.picker, asked),
      pool.picker,
      asked,
    );
    if ("inFlight" in answer) asked.routed(answer);
    return { asked, body: new WeakRef(body) };
  });
  sent[0]?.asked.end();
  vi.advanceTimersByTime(10);
  const flights = sent.slice(1).map(({ asked }) => asked.flight?.inFlight);
  expect(flights).not.toContain(undefined);
  for (const { asked } of sent) asked.flight = undefined;
  vi.useRealTimers();
  // The current job keeps the targets of its weak references alive.
  await setTimeout(1);
  collectGarbage();
  expect(sent.slice(1).map(({ body }) => body.deref())).toEqual([undefined, undefined, undefined]);
  for (const flight of flights) flight?.end(0);
});

it("a request waits for the server that has its response, while other requests use free servers", () => {
  const pool = newPool(seeded(1));
  pool.usePods(2);
  const [full, free] = pool.endpoints as [Endpoint, Endpoint];
  const ask = (json: object, id?: string) => {
    const asked = new Asked();
    const headers = new Map([[":path", id === undefined ? "/v1/completions" : "/v1/responses"]]);
    const more = id === undefined ? { prompt: "p" } : { input: "p", previous_response_id: id };
    const body = Buffer.from(JSON.stringify({ model: "m", ...json, ...more }));
    const result = admit(
      accept({ headers, metadata: new Map(), body }, pool.picker, asked),
      pool.picker,
      asked,
    );
    if ("inFlight" in result) asked.routed(result);
    return asked;
  };
  const servedBy = ({ flight }: Asked) => flight?.endpoints[0]?.address;
  const id = newResponseId(full);
  const first = Array.from({ length: slots }, () => ask({}, id));
  expect(first.map(servedBy)).toEqual([full.address, full.address, full.address]);
  const waits = ask({}, id);
  const passes = ask({});
  vi.advanceTimersByTime(20);
  expect([servedBy(waits), servedBy(passes)]).toEqual([undefined, free.address]);
  first[0]?.end();
  vi.advanceTimersByTime(20);
  expect(servedBy(waits)).toBe(full.address);
  pool.admission.close();
});
