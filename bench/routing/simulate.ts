import { type Endpoint, type ModelServerMetrics, newLiveState } from "../../scheduling/endpoint.ts";
import { label } from "../../sdk/topology/names.ts";
import { type Emission, Simulation } from "../../testing/model-server/simulation.ts";
import type { Arrival, Trace } from "./trace.ts";

/** A trace through a router and engines in virtual time: nothing waits for a clock, and a seed gives the same again. */

/** A model server as routers see it. */
export interface Pod {
  readonly index: number;
  /** What only an oracle may ask. */
  readonly simulation: Simulation;
  /** What a picker knows of it. */
  readonly endpoint: Endpoint;
  readonly role: "prefiller" | "decoder";
  alive: boolean;
  /** Requests that were sent there and have not ended. */
  outstanding: number;
}

export interface Choice {
  readonly pod: Pod;
  /** The pod that computes its prompt, if it is another one. */
  readonly prefiller?: Pod | undefined;
  readonly firstToken?: () => void;
  readonly end?: () => void;
}

export interface Router {
  /** Chooses among the pods of the pool; undefined where it refuses. */
  route(request: Arrival, pods: readonly Pod[], now: number): Choice | undefined;
  /** Pods came or went. */
  retain?(pods: readonly Pod[]): void;
  /** The pod's metrics were read. */
  scraped?(pod: Pod): void;
}

export interface Outcome {
  readonly request: Arrival;
  pod: number | undefined;
  failed: boolean;
  firstAt: number;
  endAt: number;
  tokens: number;
  promptTokens: number;
  cachedTokens: number;
}

export interface Run {
  readonly outcomes: readonly Outcome[];
  /** Requests that waited at an engine, whenever one was scraped. */
  readonly waiting: readonly number[];
}

/** Milliseconds between two readings of a server's metrics: the picker's default. */
const scrapeInterval = 50;

/** Milliseconds until the pool knows that a pod died. */
const goneAfter = 1_000;

/** Milliseconds after the last arrival at which what is not answered has failed. */
const patience = 600_000;

export const simulate = (trace: Trace, router: Router): Run => new Course(trace, router).run();

interface InFlight {
  readonly outcome: Outcome;
  readonly choice: Choice;
  /** The pod that computes it now. */
  at: Pod;
}

class Course {
  readonly #trace: Trace;
  readonly #router: Router;
  readonly #all: readonly Pod[];
  #pool: readonly Pod[];
  readonly #inFlight = new Map<number, InFlight>();
  readonly #outcomes: Outcome[] = [];
  readonly #waiting: number[] = [];
  /** What happens at a time that is known, in order of time. */
  readonly #plan: Array<{ readonly at: number; readonly act: () => void }>;

  constructor(trace: Trace, router: Router) {
    this.#trace = trace;
    this.#router = router;
    const joins = new Set(
      trace.changes?.filter(({ change }) => change === "joins").map(({ pod }) => pod),
    );
    this.#all = Array.from({ length: trace.pods }, (_, index) => podOf(trace, index));
    this.#pool = this.#all.filter(({ index }) => !joins.has(index));
    this.#plan = (trace.changes ?? [])
      .flatMap(({ at, pod, change }) => this.#change(at, this.#all[pod] as Pod, change))
      .toSorted((a, b) => a.at - b.at);
    router.retain?.(this.#pool);
  }

  run(): Run {
    const { requests } = this.#trace;
    const until = (requests.at(-1)?.at ?? 0) + patience;
    let scrapes = 0;
    for (let arrived = 0; arrived < requests.length || this.#inFlight.size > 0; ) {
      const arrival = requests[arrived]?.at ?? Number.POSITIVE_INFINITY;
      const planned = this.#plan[0]?.at ?? Number.POSITIVE_INFINITY;
      const scrape = (scrapes * scrapeInterval) / this.#all.length;
      let now = Math.min(arrival, planned, scrape);
      for (const { simulation } of this.#all) now = Math.min(now, simulation.nextAt);
      if (now > until) break;
      for (const pod of this.#all)
        if (pod.simulation.nextAt <= now)
          for (const emission of pod.simulation.advance(now)) this.#emitted(pod, emission);
      if (now === planned) this.#plan.shift()?.act();
      if (now === scrape) {
        this.#scrape(this.#all[scrapes % this.#all.length] as Pod, now);
        scrapes += 1;
      }
      if (now === arrival) {
        this.#arrive(arrived, requests[arrived] as Arrival);
        arrived += 1;
      }
    }
    for (const id of this.#inFlight.keys()) this.#fail(id);
    return { outcomes: this.#outcomes, waiting: this.#waiting };
  }

  #arrive(id: number, request: Arrival): void {
    const outcome: Outcome = {
      request,
      pod: undefined,
      failed: false,
      firstAt: Number.NaN,
      endAt: Number.NaN,
      tokens: 0,
      promptTokens: 0,
      cachedTokens: 0,
    };
    this.#outcomes.push(outcome);
    const choice = this.#router.route(request, this.#pool, request.at);
    if (choice === undefined) {
      outcome.failed = true;
      return;
    }
    outcome.pod = choice.pod.index;
    this.#inFlight.set(id, { outcome, choice, at: choice.prefiller ?? choice.pod });
    choice.pod.outstanding += 1;
    if (choice.prefiller !== undefined) choice.prefiller.outstanding += 1;
    this.#submit(id, request.at);
  }

  #submit(id: number, now: number): void {
    const { outcome, choice, at } = this.#inFlight.get(id) as InFlight;
    const { prompt, answer, outputTokens } = outcome.request;
    if (!at.alive) {
      this.#fail(id);
      return;
    }
    const prefills = at === choice.prefiller;
    at.simulation.submit(
      {
        id,
        prompt,
        maxTokens: prefills ? 1 : outputTokens,
        prefilled: !prefills && choice.prefiller !== undefined,
        ...(!prefills && answer !== undefined && { answer }),
      },
      now,
    );
  }

  #emitted(pod: Pod, { id, at, token, last, promptTokens, cachedTokens }: Emission): void {
    const sent = this.#inFlight.get(id);
    if (sent === undefined || sent.at !== pod) return;
    const { outcome, choice } = sent;
    if (pod === choice.prefiller || choice.prefiller === undefined)
      Object.assign(outcome, { promptTokens, cachedTokens });
    if (pod === choice.prefiller) {
      sent.at = choice.pod;
      pod.outstanding -= 1;
      this.#submit(id, at);
      return;
    }
    if (token === 0) {
      outcome.firstAt = at;
      choice.firstToken?.();
    }
    outcome.tokens = token + 1;
    if (last) {
      outcome.endAt = at;
      this.#end(id);
    }
  }

  #end(id: number): void {
    const { choice, at } = this.#inFlight.get(id) as InFlight;
    this.#inFlight.delete(id);
    choice.pod.outstanding -= 1;
    if (at === choice.prefiller) at.outstanding -= 1;
    choice.end?.();
  }

  #fail(id: number): void {
    const sent = this.#inFlight.get(id);
    if (sent === undefined) return;
    sent.outcome.failed = true;
    this.#end(id);
  }

  #change(at: number, pod: Pod, change: "dies" | "joins") {
    if (change === "joins") return [{ at, act: () => this.#setPool([...this.#pool, pod]) }];
    return [
      {
        at,
        act: () => {
          pod.alive = false;
          for (const [id, sent] of this.#inFlight)
            if (sent.at === pod) {
              pod.simulation.cancel(id);
              this.#fail(id);
            }
        },
      },
      { at: at + goneAfter, act: () => this.#setPool(this.#pool.filter((each) => each !== pod)) },
    ];
  }

  #setPool(pool: readonly Pod[]): void {
    this.#pool = pool;
    this.#router.retain?.(pool);
  }

  #scrape(pod: Pod, now: number): void {
    if (!pod.alive || !this.#pool.includes(pod)) return;
    this.#waiting.push(pod.simulation.state.waiting);
    pod.endpoint.live.metrics = reading(pod.simulation, now);
    this.#router.scraped?.(pod);
  }
}

function podOf({ engine, engineOf, prefillers }: Trace, index: number): Pod {
  const role = prefillers?.includes(index) ? "prefiller" : "decoder";
  const ip = `10.0.${Math.floor(index / 250)}.${(index % 250) + 1}`;
  return {
    index,
    simulation: new Simulation(engineOf?.[index] ?? engine),
    role,
    alive: true,
    outstanding: 0,
    endpoint: {
      id: `default/pod-${index}-rank-0`,
      namespace: "default",
      pod: `pod-${index}`,
      podUid: `uid-${index}`,
      rank: 0,
      ip,
      port: 8000,
      address: `${ip}:8000`,
      labels: { [label.componentType]: role },
      live: newLiveState(),
    },
  };
}

function reading({ metrics, options }: Simulation, at: number): ModelServerMetrics {
  return {
    at,
    waitingRequests: metrics.waiting,
    runningRequests: metrics.running,
    tellsRequests: true,
    kvCacheUsage: metrics.cacheUsage,
    cacheBlockSize: options.blockTokens,
    cacheBlocks: options.cacheBlocks,
    servedModel: "base",
    activeModels: new Set(),
    waitingModels: new Set(),
    maxActiveModels: 0,
  };
}
