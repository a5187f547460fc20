import type { ModelServerMetrics } from "../../scheduling/endpoint.ts";
import type { Simulation } from "../../testing/model-server/simulation.ts";
import { type Pod, podsOf } from "./pod.ts";
import type { Arrival, Trace } from "./trace.ts";
import { type Choice, type Outcome, Traffic } from "./traffic.ts";

/** A trace through a router and engines in virtual time: nothing waits for a clock, and a seed gives the same again. */

export interface Router {
  /** Chooses among the pods of the pool; undefined where it refuses. */
  route(request: Arrival, pods: readonly Pod[], now: number): Choice | undefined;
  /** Pods came or went. */
  retain?(pods: readonly Pod[]): void;
  /** The pod's metrics were read. */
  scraped?(pod: Pod): void;
}

export interface Run {
  readonly outcomes: readonly Outcome[];
  /** Requests that waited at an engine, whenever one was scraped. */
  readonly waiting: ReadonlyArray<{ readonly at: number; readonly requests: number }>;
}

/** Milliseconds between two readings of a server's metrics: the picker's default. */
const scrapeInterval = 50;

/** Milliseconds until the pool knows that a pod died. */
export const goneAfter = 1_000;

/** Milliseconds after the last arrival at which what is not answered has failed. */
const patience = 600_000;

export const simulate = (trace: Trace, router: Router): Run => new Course(trace, router).run();

class Course {
  readonly #trace: Trace;
  readonly #router: Router;
  readonly #all: readonly Pod[];
  #pool: readonly Pod[];
  readonly #traffic = new Traffic();
  readonly #waiting: Array<Run["waiting"][number]> = [];
  /** What happens at a time that is known, in order of time. */
  readonly #plan: Array<{ readonly at: number; readonly act: () => void }>;

  constructor(trace: Trace, router: Router) {
    this.#trace = trace;
    this.#router = router;
    const joins = new Set(
      trace.changes?.filter(({ change }) => change === "joins").map(({ pod }) => pod),
    );
    this.#all = podsOf(trace);
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
    for (let arrived = 0; arrived < requests.length || this.#traffic.inFlight > 0; ) {
      const arrival = requests[arrived]?.at ?? Number.POSITIVE_INFINITY;
      const planned = this.#plan[0]?.at ?? Number.POSITIVE_INFINITY;
      const scrape = (scrapes * scrapeInterval) / this.#all.length;
      let now = Math.min(arrival, planned, scrape);
      for (const { simulation } of this.#all) now = Math.min(now, simulation.nextAt);
      if (now > until) break;
      for (const pod of this.#all)
        if (pod.simulation.nextAt <= now)
          for (const emission of pod.simulation.advance(now)) this.#traffic.emitted(pod, emission);
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
    this.#traffic.giveUp();
    return { outcomes: this.#traffic.outcomes, waiting: this.#waiting };
  }

  #arrive(id: number, request: Arrival): void {
    const outcome = this.#traffic.arrived(request);
    const choice = this.#router.route(request, this.#pool, request.at);
    this.#traffic.send(id, outcome, choice, request.at);
  }

  #change(at: number, pod: Pod, change: "dies" | "joins") {
    if (change === "joins") return [{ at, act: () => this.#setPool([...this.#pool, pod]) }];
    return [
      { at, act: () => this.#traffic.died(pod) },
      { at: at + goneAfter, act: () => this.#setPool(this.#pool.filter((each) => each !== pod)) },
    ];
  }

  #setPool(pool: readonly Pod[]): void {
    this.#pool = pool;
    this.#router.retain?.(pool);
  }

  #scrape(pod: Pod, now: number): void {
    pod.endpoint.live.isDown = !pod.alive;
    if (!pod.alive || !this.#pool.includes(pod)) return;
    this.#waiting.push({ at: now, requests: pod.simulation.state.waiting });
    pod.endpoint.live.metrics = reading(pod.simulation, now);
    this.#router.scraped?.(pod);
  }
}

/** What the metrics of a server say. */
export function reading({ metrics, options }: Simulation, at: number): ModelServerMetrics {
  return {
    at,
    waitingRequests: metrics.waiting,
    runningRequests: metrics.running,
    tellsRequests: true,
    maxRunningRequests: undefined,
    firstTokens: metrics.firstTokens,
    kvCacheUsage: metrics.cacheUsage,
    cacheBlockSize: options.blockTokens,
    cacheBlocks: options.cacheBlocks,
    servedModel: "base",
    activeModels: new Set(),
    waitingModels: new Set(),
    maxActiveModels: 0,
  };
}
