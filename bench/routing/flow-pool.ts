import { buildScheduler, flowControlSettings } from "../../scheduling/build.ts";
import { loadPickerConfig } from "../../scheduling/config/read.ts";
import { CheaperElsewhere, type Moment } from "../../scheduling/credit/cheaper-elsewhere.ts";
import { PoolCredit, type SendableRequest } from "../../scheduling/credit/pool-credit.ts";
import type { Endpoint } from "../../scheduling/endpoint.ts";
import { FlowController } from "../../scheduling/flow-control/flow-controller.ts";
import type { FlowKey, Ticket } from "../../scheduling/flow-control/flow-request.ts";
import type { FlowControlSettings } from "../../scheduling/flow-control/settings.ts";
import { readingOf } from "../../scheduling/metrics-reading.ts";
import type { Scheduler } from "../../scheduling/scheduler.ts";
import { endpointPickerConfig } from "../../sdk/plan/picker/endpoint-picker-config.ts";
import { waitingOf } from "../../sdk/plan/picker/flow-control.ts";
import type { Fairness } from "../../sdk/spec/flow-control.ts";
import { type Simulation, tokenChars } from "../../testing/model-server/simulation.ts";
import { type Pod, podsOf } from "./pod.ts";
import { Random } from "./random.ts";
import { prefillerOf } from "./scheduled.ts";
import { reading } from "./simulate.ts";
import type { Arrival, Trace } from "./trace.ts";
import { type Outcome, Traffic } from "./traffic.ts";

/** A request with the flow that it waits in. */
export interface FlowArrival extends Arrival {
  readonly flow: FlowKey;
}

/** What became of a request. */
export interface Answer {
  readonly arrival: FlowArrival;
  /** When it left the queue; undefined where it did not. */
  readonly sentAt: number | undefined;
  readonly outcome: Outcome;
}

export interface Overload extends Pick<Trace, "pods" | "engine" | "engineOf" | "prefillers"> {
  readonly fairness?: Fairness;
  readonly arrivals: readonly FlowArrival[];
  /** Milliseconds at which it is over, unless all is answered before. */
  readonly until: number;
  readonly seed: number;
  /** The flow for whose requests an oracle chooses among the engines with a free slot: the one that answers first. */
  readonly oracleFor?: string;
}

export interface OverloadRun {
  readonly answers: readonly Answer[];
  /** Requests that waited for a place at an engine, every ten milliseconds. */
  readonly waiting: ReadonlyArray<{ readonly at: number; readonly requests: number }>;
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

/** The planned configuration of a pool, with flow control as it is by default. */
function planned({ fairness, prefillers }: Overload) {
  const waiting = waitingOf({ fairness }, "generic");
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

/** Requests that the engine has no place for: others that came during a step are part of the next. */
const withoutPlace = ({ state, options }: Simulation): number =>
  Math.max(0, state.waiting + state.running - options.maxSequences);

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
  readonly #scheduler: Scheduler;
  readonly #controller: FlowController<Queued>;
  readonly #credit: PoolCredit<Queued>;
  readonly #random: Random;
  readonly #traffic = new Traffic();
  readonly #answers: Answer[] = [];
  readonly #waiting: Array<{ at: number; requests: number }> = [];
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
    const endpoints = this.#pods.map(({ endpoint }) => endpoint);
    scheduler.retain(endpoints);
    this.#credit.use(endpoints);
    this.#controller.poolChanged(true, 0);
  }

  run(): OverloadRun {
    const { arrivals, until } = this.#of;
    let [arrived, scrapes, turns, looks] = [0, 0, 0, 0];
    while (this.#now < until && (arrived < arrivals.length || this.#isBusy)) {
      const arrival = arrivals[arrived];
      const scrape = (scrapes * scrapeInterval) / this.#pods.length;
      const turn = turns * turnInterval;
      const look = looks * lookInterval;
      const step = Math.min(...this.#pods.map(({ simulation }) => simulation.nextAt));
      const now = Math.min(arrival?.at ?? Number.POSITIVE_INFINITY, scrape, turn, look, step);
      this.#now = now;
      if (now === step) this.#step(now);
      if (now === scrape) {
        this.#scrape(this.#pods[scrapes % this.#pods.length] as Pod);
        scrapes += 1;
      }
      if (now === look) {
        for (const { simulation } of this.#pods)
          this.#waiting.push({ at: now, requests: withoutPlace(simulation) });
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
    return { answers: this.#answers, waiting: this.#waiting, tokens: this.#tokens };
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
    if (passed === undefined) this.#turn();
  }

  #turn(): void {
    this.#credit.changed();
    for (const { ticket } of this.#controller.expire(this.#now)) this.#refused(ticket);
    this.#controller.dispatch(this.#now, this.#credit);
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
    const end = () => {
      sent.end();
      const { promptTokens, tokens } = outcome;
      const usage = { promptTokens, completionTokens: tokens };
      this.#controller.completed(this.#tickets.get(queued) as Ticket<Queued>, usage, this.#now);
      this.#tickets.delete(queued);
    };
    const firstToken = () => sent.firstToken();
    this.#traffic.send(id, outcome, { pod, prefiller, firstToken, end }, this.#now);
  }

  #asked(id: number, { prompt, flow }: FlowArrival) {
    return {
      ...{ id: `request-${id}`, headers: new Map(), targetModel: "base", owner: "" },
      payload: { prompts: [prompt], tokensBeyond: 0, cacheSalt: "" },
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
      if (pod.simulation.nextAt > now) continue;
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

  #scrape({ simulation, endpoint }: Pod): void {
    const { live } = endpoint;
    const { sentRequests, runningRequests } = live;
    live.metrics = reading(simulation, this.#now);
    live.reading = readingOf(live, live.metrics, { sentRequests, runningRequests });
    this.#scheduler.settle(endpoint);
    this.#credit.learn(endpoint, this.#controller.heldBack);
    this.#turn();
  }
}
