import { buildScheduler, flowControlSettings } from "../../scheduling/build.ts";
import { loadPickerConfig } from "../../scheduling/config/read.ts";
import { CheaperElsewhere, type Moment } from "../../scheduling/credit/cheaper-elsewhere.ts";
import { PoolCredit, type SendableRequest } from "../../scheduling/credit/pool-credit.ts";
import type { Endpoint } from "../../scheduling/endpoint.ts";
import { FlowController } from "../../scheduling/flow-control/flow-controller.ts";
import type { FlowKey, Ticket } from "../../scheduling/flow-control/flow-request.ts";
import { Heap } from "../../scheduling/flow-control/heap.ts";
import type { FlowControlSettings } from "../../scheduling/flow-control/settings.ts";
import { readingOf } from "../../scheduling/metrics-reading.ts";
import type { Scheduler } from "../../scheduling/scheduler.ts";
import { endpointPickerConfig } from "../../sdk/plan/picker/endpoint-picker-config.ts";
import { waitingOf } from "../../sdk/plan/picker/flow-control.ts";
import { type Fairness, FlowControl } from "../../sdk/spec/flow-control.ts";
import { type Simulation, tokenChars } from "../../testing/model-server/simulation.ts";
import { nextStep, type Pod, podsOf, readingOfPod, withoutPlace } from "./pod.ts";
import { PoolChanges } from "./pool-changes.ts";
import { Random } from "./random.ts";
import { prefillerOf } from "./scheduled.ts";
import type { Arrival, Trace } from "./trace.ts";
import { type Outcome, Traffic } from "./traffic.ts";

/** A request with the flow that it waits in. */
export interface FlowArrival extends Arrival {
  readonly flow: FlowKey;
  /** Milliseconds after which its client goes, unless it has the first token. Default: it stays. */
  readonly patience?: number;
}

/** What became of a request. */
export interface Answer {
  readonly arrival: FlowArrival;
  /** When it left the queue; undefined where it did not. */
  readonly sentAt: number | undefined;
  readonly outcome: Outcome;
}

export interface Overload
  extends Pick<Trace, "pods" | "engine" | "engineOf" | "prefillers" | "changes"> {
  readonly fairness?: Fairness;
  /** Seconds for which requests wait while the pool has no pod. Default: the planned one. */
  readonly noServerTimeoutSeconds?: number;
  readonly arrivals: readonly FlowArrival[];
  /** Milliseconds at which it is over, unless all is answered before. */
  readonly until: number;
  readonly seed: number;
  /** The flow for whose requests an oracle chooses among the engines with a free slot: the one that answers first. */
  readonly oracleFor?: string;
}

export interface OverloadRun {
  readonly answers: readonly Answer[];
  /**
   * Requests that waited for a place at an engine, every ten milliseconds; and those that it says wait, with which are those that
   * came during a step and are part of the next.
   */
  readonly waiting: ReadonlyArray<{
    readonly at: number;
    readonly requests: number;
    readonly told: number;
  }>;
  /** Engines of the pool that had a place while requests waited in the picker, every ten milliseconds. */
  readonly unused: ReadonlyArray<{ readonly at: number; readonly pod: number }>;
  /** Requests that pods are still thought to have when all is over: none where nothing leaks. */
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
const lookInterval = 10;

/** Milliseconds until the proxy has answered a request that it could not send, as nobody listens at the address. */
const refusedAfter = 1;

/** Share of its KV cache from which an engine is full, whatever slots it has: the planned detector's. */
const fullCache = 0.8;

/** The planned configuration of a pool, with flow control as it is by default. */
function planned({ fairness, prefillers, noServerTimeoutSeconds }: Overload) {
  const flowControl = FlowControl.parse({ noServerTimeoutSeconds });
  const waiting = waitingOf({ fairness, flowControl }, "generic");
  const strategy = prefillers === undefined ? "prefix-cache" : "pd-disaggregation";
  const text = JSON.stringify(endpointPickerConfig(strategy, waiting));
  const { config } = loadPickerConfig(text, "the planned configuration");
  return {
    scheduler: buildScheduler(config),
    settings: flowControlSettings(config) as FlowControlSettings,
  };
}

/** A request in the queues of the picker. */
class Queued implements SendableRequest {
  readonly flow: FlowKey;
  readonly bytes: number;
  readonly promptTokens: number;
  readonly receivedAt: number;
  readonly answer: { -readonly [Field in keyof Answer]: Answer[Field] };
  readonly #elsewhere: CheaperElsewhere;
  readonly #send: (request: Queued, endpoints: readonly Endpoint[]) => void;

  constructor(
    arrival: FlowArrival,
    outcome: Outcome,
    send: (of: Queued, to: readonly Endpoint[]) => void,
    uncachedTokens: (endpoints: readonly Endpoint[]) => ArrayLike<number>,
  ) {
    this.#elsewhere = new CheaperElsewhere(uncachedTokens);
    this.flow = arrival.flow;
    this.bytes = arrival.prompt.length;
    this.promptTokens = arrival.prompt.length / tokenChars;
    this.receivedAt = arrival.at;
    this.answer = { arrival, sentAt: undefined, outcome };
    this.#send = send;
  }

  leaves(all: readonly Endpoint[], free: readonly Endpoint[], moment: Moment): boolean {
    return this.#elsewhere.waits(all, free, moment);
  }

  sendTo(endpoints: readonly Endpoint[]): boolean {
    this.#send(this, endpoints);
    return true;
  }
}

/** Whether an engine of the pool could take another request. */
const hasPlace = ({ simulation: { state, options }, alive, hangs }: Pod): boolean =>
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

class FlowPool {
  readonly #of: Overload;
  readonly #pods: readonly Pod[];
  readonly #changes: PoolChanges;
  /** What happens at a time that became known on the way. */
  readonly #later = new Heap<() => void>();
  readonly #scheduler: Scheduler;
  readonly #controller: FlowController<Queued>;
  readonly #credit: PoolCredit<Queued>;
  readonly #random: Random;
  readonly #traffic = new Traffic();
  readonly #answers: Answer[] = [];
  readonly #waiting: Array<OverloadRun["waiting"][number]> = [];
  readonly #unused: Array<{ at: number; pod: number }> = [];
  readonly #tokens: Array<{ at: number; flow: string; count: number }> = [];
  readonly #flows = new Map<number, string>();
  readonly #tickets = new Map<Queued, Ticket<Queued>>();
  #now = 0;

  constructor(of: Overload) {
    this.#of = of;
    this.#random = new Random(of.seed);
    this.#pods = podsOf({ ...of, name: "", requests: [], measureFrom: 0 });
    const { scheduler, settings } = planned(of);
    this.#scheduler = scheduler;
    this.#controller = new FlowController(settings);
    this.#credit = new PoolCredit({ detector: scheduler.detector, now: () => this.#now });
    this.#changes = new PoolChanges(of, this.#pods, {
      died: (pod) => this.#traffic.died(pod),
      changed: (pool) => this.#use(pool),
    });
    this.#use(this.#changes.pool);
  }

  #use(pool: readonly Pod[]): void {
    const endpoints = pool.map(({ endpoint }) => endpoint);
    this.#scheduler.retain(endpoints);
    this.#credit.use(endpoints);
    this.#controller.poolChanged(endpoints.length > 0, this.#now);
    this.#turn();
  }

  run(): OverloadRun {
    const { arrivals, until } = this.#of;
    let [arrived, scrapes, turns, looks] = [0, 0, 0, 0];
    while (this.#now < until && (arrived < arrivals.length || this.#isBusy)) {
      const arrival = arrivals[arrived];
      const scrape = (scrapes * scrapeInterval) / this.#pods.length;
      const turn = turns * turnInterval;
      const look = looks * lookInterval;
      const step = Math.min(...this.#pods.map(nextStep));
      const change = this.#changes.nextAt;
      const later = this.#later.first?.key ?? Number.POSITIVE_INFINITY;
      const came = arrival?.at ?? Number.POSITIVE_INFINITY;
      const now = Math.min(came, scrape, turn, look, step, change, later);
      this.#now = now;
      if (now === step) this.#step(now);
      if (now === change) this.#changes.next();
      if (now === later) this.#happen();
      if (now === scrape) {
        this.#scrape(this.#pods[scrapes % this.#pods.length] as Pod);
        scrapes += 1;
      }
      if (now === look) {
        this.#look(now);
        looks += 1;
      }
      if (arrival !== undefined && now === arrival.at) {
        this.#arrive(arrived, arrival);
        arrived += 1;
      }
      if (now === turn) {
        this.#turn();
        turns += 1;
      }
    }
    this.#traffic.giveUp();
    for (const { answer } of this.#tickets.keys()) answer.outcome.failed = true;
    const [answers, waiting, unused] = [this.#answers, this.#waiting, this.#unused];
    const left = this.#pods.reduce((sum, { endpoint }) => sum + endpoint.live.runningRequests, 0);
    return { answers, waiting, unused, left, tokens: this.#tokens };
  }

  #look(at: number): void {
    for (const { simulation } of this.#pods)
      this.#waiting.push({
        at,
        requests: withoutPlace(simulation),
        told: simulation.state.waiting,
      });
    if (this.#controller.size === 0) return;
    for (const pod of this.#changes.pool)
      if (hasPlace(pod)) this.#unused.push({ at, pod: pod.index });
  }

  #after(ms: number, act: () => void): void {
    this.#later.add(act, this.#now + ms, this.#later.size);
  }

  #happen(): void {
    const { first } = this.#later;
    if (first === undefined) return;
    this.#later.remove(first);
    first.item();
  }

  get #isBusy(): boolean {
    return this.#controller.size > 0 || this.#traffic.inFlight > 0;
  }

  #arrive(id: number, arrival: FlowArrival): void {
    const outcome = this.#traffic.arrived(arrival);
    this.#flows.set(id, arrival.flow.id);
    const queued = new Queued(
      arrival,
      outcome,
      (sent, to) => this.#send(id, sent, to),
      (endpoints) => this.#scheduler.uncachedTokens(this.#asked(id, arrival), endpoints),
    );
    this.#answers.push(queued.answer);
    this.#credit.changed();
    const passed = this.#controller.pass(queued, this.#now, this.#credit);
    const { ticket, displaced = undefined } =
      passed === undefined
        ? this.#controller.arrive(queued, this.#now)
        : { ticket: passed, displaced: undefined };
    if (displaced !== undefined) this.#refused(displaced.ticket);
    if (ticket === undefined) {
      outcome.failed = true;
      return;
    }
    this.#tickets.set(queued, ticket);
    if (arrival.patience !== undefined)
      this.#after(arrival.patience, () => this.#giveUp(id, ticket));
    if (passed === undefined) this.#turn();
  }

  #turn(): void {
    this.#credit.changed();
    for (const { ticket } of this.#controller.expire(this.#now)) this.#refused(ticket);
    this.#controller.dispatch(this.#now, this.#credit);
  }

  /** The client of a request goes, unless its answer has begun. */
  #giveUp(id: number, ticket: Ticket<Queued>): void {
    const { outcome } = ticket.request.answer;
    if (outcome.firstAt > 0 || outcome.failed) return;
    if (this.#controller.cancel(ticket, this.#now)) this.#refused(ticket);
    else this.#traffic.cancel(id);
    this.#turn();
  }

  #refused({ request }: Ticket<Queued>): void {
    request.answer.outcome.failed = true;
    this.#tickets.delete(request);
  }

  #send(id: number, queued: Queued, endpoints: readonly Endpoint[]): void {
    const { arrival, outcome } = queued.answer;
    const chance = { now: this.#now, random: this.#random.next };
    const among =
      arrival.flow.id === this.#of.oracleFor ? [this.#soonest(arrival, endpoints)] : endpoints;
    const decision = this.#scheduler.schedule(this.#asked(id, arrival), among, chance);
    const sent = decision.dispatch();
    const pod = this.#pods.find(({ endpoint }) => endpoint === decision.endpoints[0]) as Pod;
    const prefiller = prefillerOf(decision, this.#pods);
    queued.answer.sentAt = this.#now;
    const answered = (failed: boolean) => this.#credit.answered(pod.endpoint, { failed });
    const end = () => {
      sent.end();
      // The proxy says so, unless the answer has begun or the client is gone.
      if (outcome.failed && outcome.tokens === 0 && !pod.alive) answered(true);
      const { promptTokens, tokens } = outcome;
      // Without an answer nobody says what a request cost.
      const usage = tokens === 0 ? {} : { promptTokens, completionTokens: tokens };
      this.#controller.completed(this.#tickets.get(queued) as Ticket<Queued>, usage, this.#now);
      this.#tickets.delete(queued);
    };
    const firstToken = () => {
      sent.firstToken();
      answered(false);
    };
    const go = () =>
      this.#traffic.send(id, outcome, { pod, prefiller, firstToken, end }, this.#now);
    if ((prefiller ?? pod).alive) go();
    else this.#after(refusedAfter, go);
  }

  #asked(id: number, { prompt, flow }: FlowArrival) {
    return {
      ...{ id: `request-${id}`, headers: new Map(), targetModel: "base", owner: "" },
      payload: { prompts: [prompt], tokensBeyond: 0, cacheSalt: "", streaming: true },
      ...{ priority: flow.priority, fairnessId: flow.id },
    };
  }

  #soonest(arrival: Arrival, endpoints: readonly Endpoint[]): Endpoint {
    const timeAt = ({ simulation }: Pod) => timeToFirstToken(simulation, arrival, this.#now);
    return this.#pods
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
    const { endpoint } = pod;
    const { live } = endpoint;
    const { sentRequests, runningRequests } = live;
    live.isDown = !pod.alive;
    const metrics = readingOfPod(pod, this.#now);
    if (metrics === undefined) return;
    live.metrics = metrics;
    live.reading = readingOf(live, live.metrics, { sentRequests, runningRequests });
    this.#scheduler.settle(endpoint);
    this.#credit.learn(endpoint, this.#controller.heldBack);
    this.#turn();
  }
}
