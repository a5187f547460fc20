import { roleLoads } from "../../runtime/programs/endpoint-picker/flow-control.ts";
import { buildScheduler, flowControlSettings } from "../../scheduling/build.ts";
import { loadPickerConfig } from "../../scheduling/config/read.ts";
import { DispatchGate, type SendableRequest } from "../../scheduling/dispatch/dispatch-gate.ts";
import { HoldColdPrompt } from "../../scheduling/dispatch/hold-cold-prompt.ts";
import { type Moment, WaitForCheaper } from "../../scheduling/dispatch/wait-for-cheaper.ts";
import type { Endpoint } from "../../scheduling/endpoints/endpoint.ts";
import { FlowController } from "../../scheduling/flow-control/flow-controller.ts";
import type { FlowKey, Ticket } from "../../scheduling/flow-control/flow-request.ts";
import type { FlowControlSettings } from "../../scheduling/flow-control/settings.ts";
import type { Decision, Scheduler } from "../../scheduling/profiles/scheduler.ts";
import type { RoleLoad } from "../../scheduling/scaling/desired-replicas.ts";
import { endpointPickerConfig } from "../../sdk/plan/picker/endpoint-picker-config.ts";
import { waitingOf } from "../../sdk/plan/picker/flow-control.ts";
import { type Fairness, FlowControl } from "../../sdk/spec/flow-control.ts";
import { tokenChars } from "../../testing/model-server/simulation.ts";
import { ok } from "./scheduled.ts";
import { type Arrival, strategyOf } from "./trace.ts";
import type { Outcome } from "./traffic.ts";

/** A request with the flow that it waits in. */
export interface FlowArrival extends Arrival {
  readonly flow: FlowKey;
  /** Milliseconds after which its client goes, unless it has the first token. Default: it stays. */
  readonly patience?: number;
}

/** A request with its result. */
export interface Answer {
  readonly arrival: FlowArrival;
  /** When it left the queue; undefined if it did not. */
  readonly sentAt: number | undefined;
  readonly outcome: Outcome;
}

/** A request that leaves a picker's queues. */
export interface Dispatch {
  readonly id: number;
  readonly outcome: Outcome;
  readonly decision: Decision;
  firstToken(at: number): void;
  /** @param died the pod is gone */
  end(died: boolean): void;
}

export interface QueueingPickerOptions {
  readonly fairness?: Fairness | undefined;
  /** Seconds for which requests wait while the pool has no pod. Default: the planned one. */
  readonly noServerTimeoutSeconds?: number | undefined;
  readonly timeBetweenTokensMs?: number | undefined;
  /** Requests that each engine runs at once, as the plan of a service knows it. Default: learned. */
  readonly requestSlots?: number | undefined;
  /** Pods that prefill for the others, by index. */
  readonly prefillers?: readonly number[] | undefined;
  /** Pickers of the pool, this one among them. */
  readonly replicas: number;
  readonly now: () => number;
  readonly random: () => number;
  /** The endpoints among which a request is put to the scheduler. Default: all that have room. */
  readonly among?: (arrival: FlowArrival, free: readonly Endpoint[]) => readonly Endpoint[];
  readonly after: (ms: number, act: () => void) => void;
  readonly send: (dispatch: Dispatch) => void;
  /** The client of a request that was sent goes. */
  readonly cancel: (id: number) => void;
}

/** The planned picker of an LLMServerPool, as it is by default, or one of its replicas: queues, credit and scheduler. */
export class QueueingPicker {
  readonly answers: Answer[] = [];
  readonly #options: QueueingPickerOptions;
  readonly #scheduler: Scheduler;
  readonly #controller: FlowController<Queued>;
  readonly #gate: DispatchGate<Queued>;
  readonly #tickets = new Map<Queued, Ticket<Queued>>();

  constructor(options: QueueingPickerOptions) {
    this.#options = options;
    const { now, replicas } = options;
    const { scheduler, settings } = planned(options);
    this.#scheduler = scheduler;
    this.#controller = new FlowController(settings);
    const {
      detector,
      state: { servers },
    } = scheduler;
    const { requestTtl: timeToLive } = settings;
    this.#gate = new DispatchGate({ detector, servers, now, timeToLive });
    this.#gate.share(replicas);
  }

  /** The endpoints of the pool from now on. */
  use(endpoints: readonly Endpoint[]): void {
    this.#scheduler.state.retain(endpoints);
    this.#gate.use(endpoints);
    this.#controller.poolChanged(this.#scheduler.canAnswer(endpoints), this.#options.now());
    this.turn();
  }

  /** Requests that wait. */
  get size(): number {
    return this.#controller.size;
  }

  /** Load and slots of the endpoints by role, as the picker publishes them to autoscalers. */
  loads(endpoints: readonly Endpoint[]): RoleLoad[] {
    return roleLoads(endpoints, this.#gate);
  }

  arrive(id: number, arrival: FlowArrival, outcome: Outcome): void {
    const request = asked(id, arrival);
    const queued = new Queued(
      arrival,
      outcome,
      (sent, to) => this.#send(id, sent, to),
      (endpoints, now) => this.#scheduler.promptCosts(request, endpoints, now),
      (endpoints, now) => this.#scheduler.evictsWorkingSet(request, endpoints, now),
    );
    this.answers.push(queued.answer);
    const now = this.#options.now();
    this.#gate.changed();
    const passed = this.#controller.pass(queued, now, this.#gate);
    const { ticket, displaced = undefined } =
      passed === undefined
        ? this.#controller.arrive(queued, now)
        : { ticket: passed, displaced: undefined };
    if (displaced !== undefined) this.#refused(displaced.ticket);
    if (ticket === undefined) {
      outcome.failed = true;
      return;
    }
    this.#tickets.set(queued, ticket);
    const { patience } = arrival;
    if (patience !== undefined) this.#options.after(patience, () => this.#giveUp(id, ticket));
    if (passed === undefined) this.turn();
  }

  turn(): void {
    const now = this.#options.now();
    this.#gate.changed();
    for (const { ticket } of this.#controller.expire(now)) this.#refused(ticket);
    this.#controller.dispatch(now, this.#gate);
  }

  /** An endpoint's metrics were read. */
  read(endpoint: Endpoint): void {
    this.#scheduler.state.settle(endpoint);
    this.#gate.learn(endpoint, this.#controller.ejected);
    this.turn();
  }

  /** Fails all waiting requests. */
  close(): void {
    for (const { answer } of this.#tickets.keys()) answer.outcome.failed = true;
  }

  /** The client of a request goes, unless its answer has begun. */
  #giveUp(id: number, ticket: Ticket<Queued>): void {
    const { outcome } = ticket.request.answer;
    if (outcome.firstAt > 0 || outcome.failed) return;
    if (this.#controller.cancel(ticket, this.#options.now())) this.#refused(ticket);
    else this.#options.cancel(id);
    this.turn();
  }

  #refused({ request }: Ticket<Queued>): void {
    request.answer.outcome.failed = true;
    this.#tickets.delete(request);
  }

  #send(id: number, queued: Queued, free: readonly Endpoint[]): void {
    const { now, random, among, send } = this.#options;
    const { arrival, outcome } = queued.answer;
    const endpoints = among?.(arrival, free) ?? free;
    const decision = this.#scheduler.schedule(asked(id, arrival), endpoints, {
      now: now(),
      random,
    });
    const sent = decision.dispatch();
    queued.answer.sentAt = now();
    const end = (died: boolean) => {
      // The proxy answers instead, unless the answer has begun or the client is gone.
      if (outcome.failed && outcome.tokens === 0 && died) sent.answered(unavailable, now());
      sent.end(now());
      const { promptTokens, tokens } = outcome;
      // Without an answer there is no usage.
      const usage = tokens === 0 ? {} : { promptTokens, completionTokens: tokens };
      this.#controller.completed(this.#tickets.get(queued) as Ticket<Queued>, usage, now());
      this.#tickets.delete(queued);
    };
    const firstToken = (at: number) => {
      sent.answered(ok, at);
      sent.firstToken(at);
    };
    send({ id, outcome, decision, firstToken, end });
  }
}

/** The planned configuration of a pool, with flow control as it is by default. */
function planned(options: QueueingPickerOptions) {
  const { fairness, noServerTimeoutSeconds, timeBetweenTokensMs, replicas, requestSlots } = options;
  const flowControl = FlowControl.parse({ noServerTimeoutSeconds, timeBetweenTokensMs });
  const waiting = waitingOf({ fairness, flowControl }, "generic");
  const text = JSON.stringify(
    endpointPickerConfig(strategyOf(options), { ...waiting, requestSlots }),
  );
  const { config } = loadPickerConfig(text, "the planned configuration");
  return {
    scheduler: buildScheduler(config, { replicas: { count: replicas } }),
    settings: flowControlSettings(config) as FlowControlSettings,
  };
}

const unavailable = new Map([[":status", "503"]]);

const asked = (id: number, { prompt, flow }: FlowArrival) => ({
  ...{ id: `request-${id}`, headers: new Map(), targetModel: "base", owner: "" },
  payload: { prompts: [prompt], tokensBeyond: 0, cacheSalt: "", streaming: true },
  ...{ priority: flow.priority, fairnessId: flow.id },
});

/** A request in the queues of the picker. */
class Queued implements SendableRequest {
  readonly flow: FlowKey;
  readonly bytes: number;
  readonly promptTokens: number;
  readonly receivedAt: number;
  readonly answer: { -readonly [Field in keyof Answer]: Answer[Field] };
  readonly #elsewhere: WaitForCheaper;
  readonly #send: (request: Queued, endpoints: readonly Endpoint[]) => void;
  readonly #evicts: (endpoints: readonly Endpoint[], now: number) => boolean;
  #hold: HoldColdPrompt | undefined;

  constructor(
    arrival: FlowArrival,
    outcome: Outcome,
    send: (of: Queued, to: readonly Endpoint[]) => void,
    promptCosts: (endpoints: readonly Endpoint[], now: number) => ArrayLike<number>,
    evicts: (endpoints: readonly Endpoint[], now: number) => boolean,
  ) {
    this.#evicts = evicts;
    this.#elsewhere = new WaitForCheaper(promptCosts);
    this.flow = arrival.flow;
    this.bytes = arrival.prompt.length;
    this.promptTokens = arrival.prompt.length / tokenChars;
    this.receivedAt = arrival.at;
    this.answer = { arrival, sentAt: undefined, outcome };
    this.#send = send;
  }

  isHeld(endpoints: readonly Endpoint[], now: number, timeToLive: number): boolean {
    this.#hold ??= new HoldColdPrompt(this.#evicts, now, timeToLive);
    return this.#hold.isHeld(endpoints, now);
  }

  shouldWait(all: readonly Endpoint[], free: readonly Endpoint[], moment: Moment): boolean {
    return this.#elsewhere.shouldWait(all, free, moment);
  }

  sendTo(endpoints: readonly Endpoint[]): boolean {
    this.#send(this, endpoints);
    return true;
  }
}
