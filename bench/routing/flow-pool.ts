import type { Endpoint } from "../../scheduling/endpoints/endpoint.ts";
import type { Fairness } from "../../sdk/spec/flow-control.ts";
import { type Simulation, tokenChars } from "../../testing/model-server/simulation.ts";
import { Agenda } from "./agenda.ts";
import { nextStep, type Pod, podsOf, readingOfPod, withoutPlace } from "./pod.ts";
import { PodsOfReplica } from "./pods-of-replica.ts";
import { PoolChanges } from "./pool-changes.ts";
import { type Answer, type Dispatch, type FlowArrival, QueueingPicker } from "./queueing-picker.ts";
import { Random } from "./random.ts";
import { prefillerOf } from "./scheduled.ts";
import type { Arrival, Trace } from "./trace.ts";
import { Traffic } from "./traffic.ts";

export interface Overload
  extends Pick<Trace, "pods" | "engine" | "engineOf" | "prefillers" | "changes" | "endsAt"> {
  readonly fairness?: Fairness;
  /** Seconds for which requests wait while the pool has no pod. Default: the planned one. */
  readonly noServerTimeoutSeconds?: number;
  /** Objective for the time between tokens. Default: none. */
  readonly timeBetweenTokensMs?: number;
  /** Requests that each engine runs at once, as the plan of a service knows it. Default: learned. */
  readonly requestSlots?: number | undefined;
  readonly arrivals: readonly FlowArrival[];
  /** Milliseconds at which it is over, unless all is answered before. */
  readonly until: number;
  readonly seed: number;
  /** The flow for which an oracle chooses, among the engines with a free slot, the one that answers first. */
  readonly oracleFor?: string;
  /** Pickers that know nothing of each other, and get each request by chance. Default 1. */
  readonly replicas?: number;
}

export interface OverloadRun {
  readonly answers: readonly Answer[];
  /**
   * Requests that waited for a slot at an engine, every ten milliseconds, and the waiting requests that the engine
   * reported.
   */
  readonly waiting: ReadonlyArray<{
    readonly at: number;
    readonly requests: number;
    readonly notified: number;
  }>;
  /** Engines of the pool that had a free slot while requests waited in the picker, every ten milliseconds. */
  readonly unused: ReadonlyArray<{ readonly at: number; readonly pod: number }>;
  /** Requests that the picker still counts at pods at the end: 0 if none leaks. */
  readonly left: number;
  /** Tokens that engines worked off. */
  readonly tokens: ReadonlyArray<{
    readonly at: number;
    readonly flow: string;
    readonly count: number;
  }>;
}

/** Milliseconds between readings of a server, between turns while requests wait, and between looks at the engines. */
const scrapeInterval = 50;
const turnInterval = 5;
const pollInterval = 10;

/**
 * Milliseconds until the proxy has answered a request that it could not send, because no server listens at the address.
 */
const refusedAfter = 1;

/** Share of its KV cache above which an engine is full, even with free slots: the default of the planned detector. */
const fullCache = 0.8;

/** Whether an engine of the pool could take another request. */
const hasSlot = ({ simulation: { state, options }, alive, hangs }: Pod): boolean =>
  alive &&
  !hangs &&
  state.waiting + state.running < options.maxSequences &&
  state.cacheUsage < fullCache;

/** Milliseconds to the first token on an engine, by all that it knows of itself. */
function timeToFirstToken(engine: Simulation, { prompt }: Arrival, now: number): number {
  const { options, state, promptTokensAhead, nextAt } = engine;
  const untilStep = nextAt === Number.POSITIVE_INFINITY ? 0 : nextAt - now;
  const tokens = prompt.length / tokenChars + promptTokensAhead;
  const step = options.stepMs + (state.running + state.waiting + 1) * options.stepMsPerSequence;
  return untilStep + step + (1_000 * tokens) / options.prefillTokensPerSecond;
}

/** A pool behind the picker's queues, credit and scheduler, in virtual time. */
export const overload = (of: Overload): OverloadRun => new FlowPool(of).run();

/** A picker, and the pods as it knows them. */
interface Replica {
  readonly picker: QueueingPicker;
  readonly pods: PodsOfReplica;
}

class FlowPool {
  readonly #of: Overload;
  readonly #pods: readonly Pod[];
  readonly #changes: PoolChanges;
  /** Actions at times that were computed during the run. */
  readonly #later = new Agenda();
  readonly #replicas: readonly Replica[];
  readonly #random: Random;
  readonly #traffic: Traffic;
  #arrived = 0;
  readonly #waiting: Array<OverloadRun["waiting"][number]> = [];
  readonly #unused: Array<{ at: number; pod: number }> = [];
  readonly #tokens: Array<{ at: number; flow: string; count: number }> = [];
  readonly #flows = new Map<number, string>();
  #now = 0;

  constructor(of: Overload) {
    this.#of = of;
    this.#random = new Random(of.seed);
    const { endsAt = Number.POSITIVE_INFINITY } = of;
    this.#traffic = new Traffic((arrival) => {
      const { flow } = of.arrivals[0] as FlowArrival;
      if (arrival.at < endsAt)
        this.#later.add(arrival.at, () => this.#arrive({ ...arrival, flow }));
    });
    this.#pods = podsOf({ ...of, name: "", requests: [], measureFrom: 0 });
    this.#replicas = Array.from({ length: of.replicas ?? 1 }, () => this.#replica());
    this.#changes = new PoolChanges(of, this.#pods, {
      died: (pod) => this.#traffic.died(pod),
      changed: (pool) => this.#use(pool),
    });
    this.#use(this.#changes.pool);
  }

  #replica(): Replica {
    const { fairness, noServerTimeoutSeconds, timeBetweenTokensMs, requestSlots } = this.#of;
    const { prefillers, replicas = 1, oracleFor } = this.#of;
    const pods = new PodsOfReplica();
    const picker = new QueueingPicker({
      ...{ fairness, noServerTimeoutSeconds, timeBetweenTokensMs, replicas, prefillers },
      requestSlots,
      now: () => this.#now,
      random: this.#random.next,
      among: (arrival, free) =>
        arrival.flow.id === oracleFor ? [this.#soonest(arrival, pods, free)] : free,
      after: (ms, act) => this.#after(ms, act),
      send: (dispatch) => this.#send(dispatch, pods),
      cancel: (id) => this.#traffic.cancel(id),
    });
    return { picker, pods };
  }

  #use(pool: readonly Pod[]): void {
    for (const { picker, pods } of this.#replicas)
      picker.use(pool.map((pod) => pods.of(pod).endpoint));
  }

  run(): OverloadRun {
    const { arrivals, until } = this.#of;
    let [arrived, scrapes, turns, polls] = [0, 0, 0, 0];
    while (this.#now < until && (arrived < arrivals.length || this.#isBusy)) {
      const arrival = arrivals[arrived];
      const scrape = (scrapes * scrapeInterval) / this.#pods.length;
      const turn = turns * turnInterval;
      const poll = polls * pollInterval;
      const step = Math.min(...this.#pods.map(nextStep));
      const change = this.#changes.nextAt;
      const later = this.#later.nextAt;
      const came = arrival?.at ?? Number.POSITIVE_INFINITY;
      const now = Math.min(came, scrape, turn, poll, step, change, later);
      this.#now = now;
      if (now === step) this.#step(now);
      if (now === change) this.#changes.next();
      if (now === later) this.#later.next();
      if (now === scrape) {
        this.#scrape(this.#pods[scrapes % this.#pods.length] as Pod);
        scrapes += 1;
      }
      if (now === poll) {
        this.#look(now);
        polls += 1;
      }
      if (arrival !== undefined && now === arrival.at) {
        this.#arrive(arrival);
        arrived += 1;
      }
      if (now === turn) {
        this.#turn();
        turns += 1;
      }
    }
    this.#traffic.giveUp();
    for (const { picker } of this.#replicas) picker.close();
    const answers = this.#replicas.flatMap(({ picker }) => picker.answers);
    const [waiting, unused, tokens] = [this.#waiting, this.#unused, this.#tokens];
    return { answers, waiting, unused, left: this.#left, tokens };
  }

  /** Requests that pods have, as far as pickers know. */
  get #left(): number {
    const known = this.#replicas.flatMap(({ pods }) => this.#pods.map((pod) => pods.of(pod)));
    return known.reduce((sum, { endpoint }) => sum + endpoint.live.runningRequests, 0);
  }

  #look(at: number): void {
    for (const { simulation } of this.#pods)
      this.#waiting.push({
        at,
        requests: withoutPlace(simulation),
        notified: simulation.metrics.waiting,
      });
    if (this.#replicas.every(({ picker }) => picker.size === 0)) return;
    for (const pod of this.#changes.pool)
      if (hasSlot(pod)) this.#unused.push({ at, pod: pod.index });
  }

  #after(ms: number, act: () => void): void {
    this.#later.add(this.#now + ms, act);
  }

  get #isBusy(): boolean {
    // A connection that a dead pod refuses is neither: it is known some time later.
    const isDue = this.#later.nextAt < Number.POSITIVE_INFINITY;
    const waits = this.#replicas.some(({ picker }) => picker.size > 0);
    return isDue || waits || this.#traffic.inFlight > 0;
  }

  #arrive(arrival: FlowArrival): void {
    const id = this.#arrived++;
    this.#flows.set(id, arrival.flow.id);
    const { length } = this.#replicas;
    const chosen = length === 1 ? 0 : this.#random.between(0, length - 1);
    this.#replicas[chosen]?.picker.arrive(id, arrival, this.#traffic.arrived(arrival));
  }

  #turn(): void {
    for (const { picker } of this.#replicas) picker.turn();
  }

  #send({ id, outcome, decision, firstToken, end }: Dispatch, pods: PodsOfReplica): void {
    const known = this.#pods.map((pod) => pods.of(pod));
    const chosen = known.findIndex(({ endpoint }) => endpoint === decision.endpoints[0]);
    const pod = this.#pods[chosen] as Pod;
    const prefills = prefillerOf(decision, known);
    const prefiller = prefills && pods.real(prefills);
    const choice = { pod, prefiller, firstToken, end: () => end(!pod.alive) };
    const go = () => this.#traffic.send(id, outcome, choice, this.#now);
    if ((prefiller ?? pod).alive) go();
    else this.#after(refusedAfter, go);
  }

  #soonest(arrival: Arrival, pods: PodsOfReplica, endpoints: readonly Endpoint[]): Endpoint {
    const timeAt = ({ simulation }: Pod) => timeToFirstToken(simulation, arrival, this.#now);
    return this.#pods
      .map((pod) => pods.of(pod))
      .filter(({ endpoint }) => endpoints.includes(endpoint))
      .reduce((best, each) => (timeAt(each) < timeAt(best) ? each : best)).endpoint;
  }

  #step(now: number): void {
    let ended = false;
    for (const pod of this.#pods) {
      if (nextStep(pod) > now) continue;
      for (const emission of pod.simulation.advance(now)) {
        const { id, token, promptTokens, at, last } = emission;
        const flow = this.#flows.get(id) as string;
        this.#tokens.push({ at, flow, count: token === 0 ? promptTokens + 1 : 1 });
        this.#traffic.emitted(pod, emission);
        ended ||= last;
      }
    }
    if (ended) this.#turn();
  }

  #scrape(pod: Pod): void {
    if (!this.#changes.pool.includes(pod)) return;
    const { live } = pod.endpoint;
    live.isDown = !pod.alive;
    const metrics = readingOfPod(pod, this.#now);
    if (metrics !== undefined) live.metrics = metrics;
    for (const { picker, pods } of this.#replicas) {
      const { endpoint } = pods.read(pod, metrics !== undefined);
      if (metrics !== undefined) picker.read(endpoint);
    }
  }
}
