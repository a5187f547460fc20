import { Agenda } from "./agenda.ts";
import { nextStep, type Pod, podsOf, readingOfPod, take, withoutPlace } from "./pod.ts";
import { PoolChanges } from "./pool-changes.ts";
import type { Arrival, Trace } from "./trace.ts";
import { type Choice, type Outcome, Traffic } from "./traffic.ts";

/** A trace through a router and engines in virtual time: nothing waits for a clock, and a seed gives the same again. */

export interface Router {
  /** Chooses among the pods of the pool; undefined if it refuses. */
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
  /** Milliseconds from each question to its answer. Absent in virtual time, in which a pick takes none. */
  readonly picks?: readonly number[];
}

/** Milliseconds between two readings of a server's metrics: the picker's default. */
const scrapeInterval = 50;

/** Milliseconds after the last arrival at which what is not answered has failed. */
const patience = 600_000;

export const simulate = (trace: Trace, router: Router): Run => new Course(trace, router).run();

class Course {
  readonly #trace: Trace;
  readonly #router: Router;
  readonly #all: readonly Pod[];
  readonly #changes: PoolChanges;
  readonly #traffic: Traffic;
  /** Requests of a closed loop, at their time. */
  readonly #later = new Agenda();
  #arrived = 0;
  readonly #waiting: Array<Run["waiting"][number]> = [];

  constructor(trace: Trace, router: Router) {
    this.#trace = trace;
    this.#router = router;
    this.#all = podsOf(trace);
    const { endsAt = Number.POSITIVE_INFINITY } = trace;
    this.#traffic = new Traffic((arrival) => {
      if (arrival.at < endsAt) this.#later.add(arrival.at, () => this.#arrive(arrival));
    });
    this.#changes = new PoolChanges(trace, this.#all, {
      died: (pod) => this.#traffic.died(pod),
      changed: (pool) => router.retain?.(pool),
    });
    router.retain?.(this.#changes.pool);
  }

  run(): Run {
    const { requests } = this.#trace;
    const until = (this.#trace.endsAt ?? requests.at(-1)?.at ?? 0) + patience;
    let [taken, scrapes] = [0, 0];
    while (taken < requests.length || this.#later.nextAt < until || this.#traffic.inFlight > 0) {
      const arrival = requests[taken]?.at ?? Number.POSITIVE_INFINITY;
      const planned = this.#changes.nextAt;
      const scrape = (scrapes * scrapeInterval) / this.#all.length;
      const later = this.#later.nextAt;
      let now = Math.min(arrival, later, planned, scrape);
      for (const pod of this.#all) now = Math.min(now, nextStep(pod));
      if (now > until) break;
      for (const pod of this.#all)
        if (nextStep(pod) <= now)
          for (const emission of pod.simulation.advance(now)) this.#traffic.emitted(pod, emission);
      if (now === planned) this.#changes.next();
      if (now === scrape) {
        this.#scrape(this.#all[scrapes % this.#all.length] as Pod, now);
        scrapes += 1;
      }
      if (now === arrival) {
        this.#arrive(requests[taken] as Arrival);
        taken += 1;
      }
      if (now === later) this.#later.next();
    }
    this.#traffic.giveUp();
    return { outcomes: this.#traffic.outcomes, waiting: this.#waiting };
  }

  #arrive(request: Arrival): void {
    const id = this.#arrived++;
    const outcome = this.#traffic.arrived(request);
    const choice = this.#router.route(request, this.#changes.pool, request.at);
    this.#traffic.send(id, outcome, choice, request.at);
  }

  #scrape(pod: Pod, now: number): void {
    const { live } = pod.endpoint;
    live.isDown = !pod.alive;
    if (!this.#changes.pool.includes(pod)) return;
    const metrics = readingOfPod(pod, now);
    if (metrics === undefined) return;
    this.#waiting.push({ at: now, requests: withoutPlace(pod.simulation) });
    take(live, metrics);
    this.#router.scraped?.(pod);
  }
}
