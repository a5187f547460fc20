import { Agenda } from "../routing/agenda.ts";
import { nextStep, type Pod, readingOfPod, take } from "../routing/pod.ts";
import { type Outcome, Traffic } from "../routing/traffic.ts";
import type { Contender } from "./contenders.ts";
import type { Day } from "./day.ts";
import type { Engine } from "./engine.ts";
import { syncSeconds } from "./hpa.ts";
import { Keda, pollSeconds } from "./keda.ts";
import { Replicas } from "./replicas.ts";

/** A day in front of replicas that an autoscaler starts and stops, in virtual time. */

export interface RunOptions {
  readonly day: Day;
  readonly engine: Engine;
  readonly seed: number;
  /** Most replicas. */
  readonly max: number;
  /** Time from the start of a replica until it is ready, in seconds. */
  readonly loadSeconds: number;
}

export interface ScalingRun {
  readonly outcomes: readonly Outcome[];
  readonly gpuHours: number;
  /** Number of times the number of replicas changed. */
  readonly changes: number;
}

/**
 * Time between two readings of a server's metrics, in ms. Metrics change once a step, which takes at least 200 ms; the
 * picker's 50 ms would read each value four times.
 */
const scrapeMs = 250;

/** A request waits at most this long for the first replica in addition to its load time, in seconds: polls and syncs. */
const spareSeconds = 60;

/** Time after the last arrival at which unfinished requests count as lost, in ms. */
const endMs = 600_000;

export const runDay = (contender: Contender, options: RunOptions): ScalingRun =>
  new Run(contender, options).run();

class Run {
  readonly #options: RunOptions;
  readonly #contender: Contender;
  readonly #traffic = new Traffic();
  readonly #replicas: Replicas;
  readonly #later = new Agenda();
  readonly #front: ReturnType<Contender["front"]>;
  #ready: readonly Pod[] = [];
  #serving: readonly Pod[] = [];
  #now = 0;
  #changes = 0;

  constructor(contender: Contender, options: RunOptions) {
    this.#options = options;
    this.#contender = contender;
    this.#replicas = new Replicas(options.engine);
    this.#front = contender.front({
      ...{ traffic: this.#traffic, seed: options.seed, now: () => this.#now },
      after: (ms, act) => this.#after(ms, act),
      noServerTimeoutSeconds: options.loadSeconds + spareSeconds,
    });
    for (const ready of this.#replicas.set(contender.first, 0)) ready();
    this.#poolChanged();
    const { rule } = contender;
    if (rule === undefined) return;
    const keda = new Keda({ ...rule, max: options.max });
    this.#every(pollSeconds, (sync) => keda.poll(sync));
    this.#every(syncSeconds, (sync) => keda.sync(sync));
  }

  run(): ScalingRun {
    const { arrivals } = this.#options.day;
    const end = (arrivals.at(-1)?.at ?? 0) + endMs;
    let [arrived, scrapes] = [0, 0];
    while (this.#now < end && (arrived < arrivals.length || this.#isBusy)) {
      const arrival = arrivals[arrived];
      const came = arrival?.at ?? Number.POSITIVE_INFINITY;
      const scrape = (scrapes * scrapeMs) / this.#options.max;
      let now = Math.min(came, scrape, this.#later.nextAt);
      for (const pod of this.#serving) now = Math.min(now, nextStep(pod));
      this.#now = now;
      this.#step(now);
      if (now === this.#later.nextAt) this.#later.next();
      if (now === scrape) {
        this.#scrape(this.#ready[scrapes % this.#options.max]);
        scrapes += 1;
      }
      if (arrival !== undefined && now === came) {
        this.#front.arrive(arrived, arrival, this.#traffic.arrived(arrival));
        arrived += 1;
      }
    }
    this.#traffic.giveUp();
    this.#front.close();
    return {
      outcomes: this.#traffic.outcomes,
      gpuHours: this.#replicas.gpuMs(this.#now) / 3_600_000,
      changes: this.#changes,
    };
  }

  get #isBusy(): boolean {
    return this.#front.queued > 0 || this.#traffic.inFlight > 0;
  }

  #step(now: number): void {
    let ended = false;
    for (const pod of this.#serving) {
      if (nextStep(pod) > now) continue;
      for (const emission of pod.simulation.advance(now)) {
        this.#traffic.emitted(pod, emission);
        ended ||= emission.last;
      }
    }
    if (!ended) return;
    this.#front.turn();
    if (this.#serving.length === this.#ready.length) return;
    this.#replicas.drain(now);
    this.#serving = this.#replicas.serving;
  }

  #scrape(pod: Pod | undefined): void {
    const metrics = pod && readingOfPod(pod, this.#now);
    if (pod === undefined || metrics === undefined) {
      this.#front.turn();
      return;
    }
    take(pod.endpoint.live, metrics);
    this.#front.read(pod);
  }

  #every(
    seconds: number,
    replicas: (sync: { now: number; current: number; metric: number }) => number,
  ): void {
    const metric = this.#contender.metric();
    const act = () => {
      const current = this.#replicas.count;
      const now = this.#now / 1_000;
      this.#scale(replicas({ now, current, metric: metric(this.#front, this.#ready) }));
      this.#after(seconds * 1_000, act);
    };
    this.#after(seconds * 1_000, act);
  }

  #scale(count: number): void {
    if (count === this.#replicas.count) return;
    this.#changes += 1;
    for (const ready of this.#replicas.set(count, this.#now))
      this.#after(this.#options.loadSeconds * 1_000, () => {
        ready();
        this.#poolChanged();
      });
    this.#poolChanged();
  }

  #poolChanged(): void {
    this.#ready = this.#replicas.ready;
    this.#serving = this.#replicas.serving;
    this.#front.use(this.#ready);
  }

  #after(ms: number, act: () => void): void {
    this.#later.add(this.#now + ms, act);
  }
}
