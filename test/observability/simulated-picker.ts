import { pool } from "../../runtime/epp/datastore/objects.fixture.ts";
import { emptySnapshot, type PoolSnapshot } from "../../runtime/epp/datastore/snapshot.ts";
import { FlowMetrics } from "../../runtime/epp/telemetry/flow-metrics.ts";
import { newTelemetry } from "../../runtime/epp/telemetry/telemetry.ts";
import type { Family } from "../../runtime/manager/metrics/family.ts";
import type { PoolSnapshot as GateSnapshot } from "../../scheduling/dispatch/pool-snapshot.ts";
import {
  type Endpoint,
  newLiveState,
  unreportedMetrics,
} from "../../scheduling/endpoints/endpoint.ts";
import { WaitTimes } from "../../scheduling/flow-control/wait-times.ts";
import { PairHealth } from "../../scheduling/pairs/pair-health.ts";
import { RequestError } from "../../scheduling/requests/request-error.ts";
import { ServerHealth } from "../../scheduling/server-model/server-health.ts";
import { seeded } from "../../testing/samples/seeded.ts";

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
  /** Numbers of the engines whose responses all fail. */
  readonly failingEngines: readonly number[];
  /** Whether prefills in the first of four prefiller-decoder pairs fail. */
  readonly hasFailingPair: boolean;
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
  ...{ failingEngines: [], hasFailingPair: false, pollErrors: 0, desired: 3, isUp: true },
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

const endpointOf = (pod: string): Endpoint => ({
  ...{ id: `models/${pod}-rank-0`, namespace: "models", pod, podUid: pod, rank: 0 },
  ...{ ip: "10.0.0.1", port: 8_000, address: "10.0.0.1:8000", labels: {} },
  live: newLiveState(),
});
const pairPods = [
  ...[endpointOf("chat-prefiller-0"), endpointOf("chat-prefiller-1")],
  ...[endpointOf("chat-decoder-0"), endpointOf("chat-decoder-1")],
] as const;

/**
 * The telemetry of an endpoint picker, driven by requests in virtual time. Engines are simulated: the state
 * sets their behaviour. The picker's classes write the metrics, and eject engines and exclude pairs by their responses.
 */
export class SimulatedPicker {
  #now = 0;
  #requests = 0;
  #waiting = 0;
  readonly #waits = new WaitTimes();
  readonly #pods: Endpoint[] = [];
  readonly #health = new ServerHealth();
  readonly #pairs = new PairHealth();
  /** Jitter of back-offs, from numbers of its own. */
  readonly #jitter = seeded(4);
  #state = healthy;
  #snapshot: PoolSnapshot = { ...emptySnapshot, pool: pool() };
  readonly #random: () => number;
  readonly #telemetry = newTelemetry(
    {
      snapshot: () => this.#snapshot,
      now: () => this.#now,
      ...{ staleAfterMs: 2_000, objectiveWindowMs: 300_000, prefixIndexes: () => [] },
      excludedPairs: () => this.#pairs.excluded(this.#now),
      ejected: () => this.#health.ejected(this.#now),
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
        waitedSeconds: this.#waits.seconds(this.#now),
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
    this.#waits.blocked(state.engines === 0 ? "no_endpoint" : "no_slot", this.#now);
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
    this.#waits.resized(waiting, this.#now);
    for (; this.#waiting < waiting; this.#waiting += 1) this.#flow.waits(queuedRequest);
    for (; this.#waiting > waiting; this.#waiting -= 1) this.#flow.waitsNoMore(queuedRequest);
  }

  #request(fairnessId: string): void {
    const { engines, errors, failingEngines, slowFirstTokens, slowOutputs, queued } = this.#state;
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
    this.#prefill();
    const endpoint = this.#selected();
    observer.scheduled(0.0005, "chat", endpoint);
    // Between a fifth and four fifths of each prompt are cached.
    const cached = 0.2 + 0.6 * ((0.618 * this.#requests) % 1);
    scheduling.matchesOf(prefixPlugin)(4_000 * cached, 4_000, "estimate");
    scheduling.prompt(inputTokens, cached * inputTokens, 0.85 * inputTokens);
    observer.requestDispatched(labels, 4_000, { endpoint, client: 0 });
    const isFailing = failingEngines.some((at) => endpoint === this.#pods[at]);
    const hasFailed = this.#random() < errors || isFailing;
    this.#health.ended(endpoint, "chat", hasFailed ? "failed" : "succeeded", this.#chance());
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

  /** Selects the next engine in turn that is not ejected, as a request or as a probe. */
  #selected(): Endpoint {
    const fit = this.#health.fit(this.#endpoints(), "chat", this.#now);
    const endpoint = fit[this.#requests % fit.length] as Endpoint;
    const request = {};
    this.#health.sent(endpoint, request, "chat", this.#chance());
    this.#health.answered(endpoint, request, this.#now);
    return endpoint;
  }

  /** Prefills a prompt in a pair of two prefillers and two decoders that is not excluded. */
  #prefill(): void {
    const [first, second, ...decoders] = pairPods;
    const decoder = decoders[this.#requests % decoders.length] as Endpoint;
    const prefillers = this.#pairs.prefillers([first, second], this.#now, decoder);
    const prefiller = prefillers[(this.#requests >> 1) % prefillers.length] as Endpoint;
    this.#pairs.sent(prefiller, decoder, this.#now);
    const isFailing = this.#state.hasFailingPair && prefiller === first && decoder === decoders[0];
    if (isFailing) this.#pairs.failed(prefiller, decoder, this.#now);
    else this.#pairs.succeeded(prefiller, decoder, this.#now);
  }

  #chance = () => ({ now: this.#now, random: this.#jitter });

  /** Returns the engines. They are the same objects at each call, because their health is kept by them. */
  #endpoints(): readonly Endpoint[] {
    const { engines, rate, kvCache } = this.#state;
    while (this.#pods.length < engines) this.#pods.push(endpointOf(`chat-${this.#pods.length}`));
    const endpoints = this.#pods.slice(0, engines);
    for (const { live } of endpoints) {
      live.runningRequests = Math.round((rate * responseSeconds) / engines);
      live.metrics = { ...unreportedMetrics, at: this.#now, kvCacheUsage: kvCache };
    }
    return endpoints;
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
