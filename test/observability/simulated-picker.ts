import { pool } from "../../runtime/epp/datastore/objects.fixture.ts";
import { emptySnapshot, type PoolSnapshot } from "../../runtime/epp/datastore/snapshot.ts";
import { FlowMetrics } from "../../runtime/epp/telemetry/flow-metrics.ts";
import { newTelemetry } from "../../runtime/epp/telemetry/telemetry.ts";
import type { Family } from "../../runtime/manager/metrics/family.ts";
import type { PoolSnapshot as GateSnapshot } from "../../scheduling/dispatch/pool-snapshot.ts";
import { newLiveState, unreportedMetrics } from "../../scheduling/endpoint.ts";
import { RequestError } from "../../scheduling/request-error.ts";

/** State of a pool at one time of the simulation. */
export interface PoolState {
  /** Requests per second. */
  readonly rate: number;
  /** Share of responses with status 500. */
  readonly errors: number;
  /** Share of responses whose first token takes two seconds. */
  readonly slowFirstTokens: number;
  /** Share of responses with 0.2 s per output token. */
  readonly slowOutputs: number;
  /** Engines that accept connections. */
  readonly engines: number;
  readonly saturation: number;
  /** Share of the KV caches in use. */
  readonly kvCache: number;
  /** Seconds for which each request is queued. */
  readonly queued: number;
  readonly ejected: readonly string[];
  readonly excludedPairs: number;
  /** Failed reads of engines' metrics per second. */
  readonly pollErrors: number;
  /** Engines that the requests need. */
  readonly desired: number;
  /** Whether Prometheus can read the picker's page. */
  readonly isUp: boolean;
}

/** A pool that serves all requests fast. */
export const healthy: PoolState = {
  ...{ rate: 2, errors: 0.0002, slowFirstTokens: 0.002, slowOutputs: 0.002 },
  ...{ engines: 4, saturation: 0.5, kvCache: 0.4, queued: 0 },
  ...{ ejected: [], excludedPairs: 0, pollErrors: 0, desired: 3, isUp: true },
};

const tenants = ["games", "search"] as const;
/** Tokens of each request and response, and the seconds for which an engine computes a response. */
export const work = { inputTokens: 1_000, outputTokens: 65, responseSeconds: 1.5 };
const { inputTokens, outputTokens, responseSeconds } = work;

const prefixPlugin = { type: "prefix-cache-scorer", name: "prefix-cache-scorer" };

const labelsOf = (fairnessId: string) => ({
  ...{ service: undefined, model: "chat", targetModel: "chat" },
  ...{ fairnessId, priority: 0 },
});
const requestOf = (fairnessId: string) => ({
  labels: labelsOf(fairnessId),
  flow: { id: fairnessId, priority: 0 },
  bytes: 4_000,
});
const queuedRequest = requestOf(tenants[0]);

/**
 * The telemetry of an endpoint picker, driven by requests in virtual time. Engines and scheduler are simulated: the
 * state sets their behaviour. The picker's classes write the metrics.
 */
export class SimulatedPicker {
  #now = 0;
  #requests = 0;
  #waiting = 0;
  #state = healthy;
  #snapshot: PoolSnapshot = { ...emptySnapshot, pool: pool() };
  readonly #random: () => number;
  readonly #telemetry = newTelemetry(
    {
      snapshot: () => this.#snapshot,
      now: () => this.#now,
      ...{ staleAfterMs: 2_000, objectiveWindowMs: 300_000, prefixIndexes: () => [] },
      excludedPairs: () => Array.from({ length: this.#state.excludedPairs }),
      ejected: () =>
        this.#state.ejected.map((endpoint) => ({ endpoint, backoffs: 1, remainingMs: 1_000 })),
      podHealth: () => [],
    },
    { commit: "test", version: "0" },
  );
  readonly #flow = new FlowMetrics(
    {
      pool: () => "chat-pool",
      queues: () => ({
        ...{ requests: 0, bytes: 0, maxRequests: 2_000, maxBytes: 1e9 },
        ...{ dispatchedPerSecond: this.#state.rate, bands: [] },
      }),
      gate: () => this.#gate(),
      endpoints: () => this.#state.engines,
      desiredOfRoles: () => new Map([["worker", this.#state.desired]]),
      detector: "utilization-detector",
    },
    (model) => model,
  );

  /** @param random returns a number of at least 0 and below 1 */
  constructor(random: () => number) {
    this.#random = random;
  }

  get families(): readonly Family[] {
    return [...this.#telemetry.families, ...this.#flow.families];
  }

  /** Runs for a time in which the pool has one state. */
  run(seconds: number, state: PoolState): void {
    this.#state = state;
    const requests = Math.round(seconds * state.rate);
    for (let at = 0; at < requests; at += 1) {
      this.#now += (1_000 * seconds) / requests;
      this.#request(tenants[at % tenants.length] as string);
    }
    this.#setWaiting(Math.round(state.rate * state.queued));
    const failed = Math.round(seconds * state.pollErrors);
    for (let at = 0; at < failed; at += 1) this.#telemetry.pollFailed("metrics-data-source");
    this.#snapshot = { ...emptySnapshot, pool: pool(), endpoints: this.#endpoints() };
  }

  #setWaiting(waiting: number): void {
    for (; this.#waiting < waiting; this.#waiting += 1) this.#flow.waits(queuedRequest);
    for (; this.#waiting > waiting; this.#waiting -= 1) this.#flow.waitsNoMore(queuedRequest);
  }

  #request(fairnessId: string): void {
    const { engines, errors, slowFirstTokens, slowOutputs, queued } = this.#state;
    const { observer, scheduling } = this.#telemetry;
    const labels = labelsOf(fairnessId);
    observer.requestReceived(labels);
    observer.requestProcessed(0.001);
    if (engines === 0) {
      observer.refused(labels, new RequestError("ServiceUnavailable", "no endpoint"));
      return;
    }
    const request = requestOf(fairnessId);
    if (queued === 0) this.#flow.passed(0.0001, request);
    else this.#flow.decided(request, "Dispatched", queued);
    this.#requests += 1;
    const endpoints = this.#endpoints();
    observer.scheduled(0.0005, "chat", endpoints[this.#requests % endpoints.length]);
    // Between a fifth and four fifths of each prompt are cached.
    const cached = 0.2 + 0.6 * ((0.618 * this.#requests) % 1);
    scheduling.matchesOf(prefixPlugin)(4_000 * cached, 4_000, "estimate");
    observer.requestDispatched(labels, 4_000);
    const hasFailed = this.#random() < errors;
    const firstToken = this.#random() < slowFirstTokens ? 2 : 0.05 + 0.4 * this.#random();
    const perToken = this.#random() < slowOutputs ? 0.2 : 0.01 + 0.02 * this.#random();
    observer.requestCompleted(labels, {
      seconds: hasFailed ? 0.01 : firstToken + perToken * (outputTokens - 1),
      firstTokenSeconds: hasFailed ? undefined : firstToken,
      streaming: true,
      ...{ bytes: 10_000, processingSeconds: 0.001, status: hasFailed ? 500 : 200 },
      usage: hasFailed
        ? undefined
        : { inputTokens, outputTokens, cachedTokens: Math.round(0.95 * cached * inputTokens) },
      served: undefined,
    });
  }

  #endpoints() {
    return Array.from({ length: this.#state.engines }, (_, at) => ({
      ...{ id: `models/chat-${at}-rank-0`, namespace: "models", pod: `chat-${at}` },
      ...{ podUid: `uid-${at}`, rank: 0, ip: `10.0.0.${at}`, port: 8_000 },
      ...{ address: `10.0.0.${at}:8000`, labels: {} },
      live: {
        ...newLiveState(),
        runningRequests: Math.round((this.#state.rate * responseSeconds) / this.#state.engines),
        metrics: { ...unreportedMetrics, at: this.#now, kvCacheUsage: this.#state.kvCache },
      },
    }));
  }

  #gate(): GateSnapshot {
    const { saturation, engines, desired } = this.#state;
    return {
      saturation: { effective: saturation, prefill: undefined, decode: saturation },
      ...{ free: [], hasFree: saturation < 1, stale: 0, endpoints: engines },
      ...{ load: 10 * desired, slots: 10 * engines },
    };
  }
}
