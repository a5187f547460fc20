import type { DispatchGate } from "../../../scheduling/dispatch/dispatch-gate.ts";
import type { Endpoint } from "../../../scheduling/endpoints/endpoint.ts";
import type { FlowController } from "../../../scheduling/flow-control/flow-controller.ts";
import type { Ticket } from "../../../scheduling/flow-control/flow-request.ts";
import {
  evictionError,
  type Refusal,
  refusalError,
} from "../../../scheduling/flow-control/outcomes.ts";
import type { Scheduler } from "../../../scheduling/profiles/scheduler.ts";
import type { TokenUsage } from "../../../scheduling/requests/request.ts";
import type { Clock } from "../clock.ts";
import type { FlowObserver, FlowOutcome } from "../flow-observer.ts";
import type { AdmissionPolicy, Waiter, WaitingRequest } from "./admit.ts";
import type { PendingRequest, RoutedRequest } from "./pending-request.ts";
import { QueuedRequest } from "./queued-request.ts";
import { TrackedFlight } from "./tracked-flight.ts";

/** Time between two turns while requests are queued, in ms. A ceiling may open a band only for a share of the turns. */
const turnInterval = 5;
/** Time between two checks for idle flows, in ms. */
const idleInterval = 10_000;
/** Saturation from which the picker observes every response, so that its end frees a slot immediately. */
const watchedFrom = 0.5;

export interface FlowAdmissionOptions {
  readonly controller: FlowController<QueuedRequest>;
  readonly gate: DispatchGate<QueuedRequest>;
  readonly scheduler: Pick<Scheduler, "canAnswer">;
  readonly clock: Clock;
  readonly observer: FlowObserver;
  /** Whether requests below priority 0 may be cut off. If so, the picker observes their responses. */
  readonly evicts: boolean;
}

/**
 * Queues requests by the rules of flow control until a model server has a free slot. If a slot is free, a request is
 * dispatched in the turn in which it arrives. Further turns start when capacity may have been freed: a response ended,
 * metrics were read, or endpoints changed.
 */
export class FlowAdmission implements AdmissionPolicy {
  readonly queues = true;
  readonly #options: FlowAdmissionOptions;
  #isTurnDue = false;
  #turning: NodeJS.Timeout | undefined;
  readonly #idle: NodeJS.Timeout;

  constructor(options: FlowAdmissionOptions) {
    this.#options = options;
    this.#idle = setInterval(() => this.#expire(options.clock.now()), idleInterval).unref();
  }

  admit(pending: PendingRequest, waiter: Waiter): RoutedRequest | WaitingRequest {
    const { controller, gate, clock, observer } = this.#options;
    const now = clock.now();
    const request = new QueuedRequest(pending, waiter, now);
    gate.changed();
    const passed = controller.pass(request, now, gate);
    if (passed !== undefined) {
      observer.passed((clock.now() - now) / 1000, request);
      return this.#resultOf(passed);
    }
    const { ticket, refusal, displaced } = controller.arrive(request, now);
    if (ticket === undefined) {
      this.#decide(request, refusal.outcome, now);
      throw refusalError(refusal);
    }
    if (displaced !== undefined) this.#refuse(displaced.ticket, displaced.refusal, now);
    this.#turn(now);
    request.isArriving = false;
    observer.arrived((clock.now() - now) / 1000, request, ticket.state === "waiting");
    // Its deadline passed before it was queued.
    if (ticket.state === "ended") throw request.take();
    if (ticket.state === "dispatched") return this.#sent(ticket, now);
    observer.waits(request);
    this.#turnLater();
    return { cancel: () => this.#cancel(ticket) };
  }

  /** Replaces the pool's endpoints. */
  endpointsChanged(endpoints: readonly Endpoint[]): void {
    const { controller, gate, scheduler, clock } = this.#options;
    gate.use(endpoints);
    controller.poolChanged(scheduler.canAnswer(endpoints), clock.now());
    this.#turnSoon();
  }

  /** Sets the number of pickers that send to the pool, including this one. */
  share(pickers: number): void {
    this.#options.gate.share(pickers);
    this.#turnSoon();
  }

  /** Updates the gate after an endpoint's metrics were read. */
  metricsRead(endpoint: Endpoint): void {
    const { gate, controller } = this.#options;
    gate.learn(endpoint, controller.ejected);
    this.#turnSoon();
  }

  /** Whether the picker may leave a request without observing its response. */
  mayLeave({ flow }: QueuedRequest): boolean {
    const { controller, gate, evicts } = this.#options;
    if (controller.size > 0 || (evicts && flow.priority < 0)) return false;
    return gate.lastSaturation < watchedFrom;
  }

  /** Frees the slot of a dispatched request that has ended. */
  ended(ticket: Ticket<QueuedRequest>, usage: TokenUsage | undefined): void {
    const { controller, clock } = this.#options;
    const cost = { promptTokens: usage?.inputTokens, completionTokens: usage?.outputTokens };
    controller.completed(ticket, cost, clock.now());
    this.#turnSoon();
  }

  /** Refuses all queued and all future requests. */
  close(): void {
    const { controller, clock } = this.#options;
    clearInterval(this.#idle);
    clearTimeout(this.#turning);
    const now = clock.now();
    for (const { ticket, refusal } of controller.close(now)) this.#refuse(ticket, refusal, now);
  }

  #turn(now: number): void {
    const { controller, gate, clock, observer } = this.#options;
    const started = clock.now();
    gate.changed();
    this.#expire(now);
    for (const ticket of controller.dispatch(now, gate))
      if (!ticket.request.isArriving) this.#goOn(ticket);
    for (const { request } of controller.evict(now)) request.refuse(evictionError());
    observer.turned((clock.now() - started) / 1000);
  }

  #expire(now: number): void {
    const { controller } = this.#options;
    const deadline = controller.nextDeadline();
    if (deadline === undefined || deadline > now) return;
    for (const { ticket, refusal } of controller.expire(now)) this.#refuse(ticket, refusal, now);
  }

  /** Notifies the waiter that its queued request was dispatched. */
  #goOn(ticket: Ticket<QueuedRequest>): void {
    const { request } = ticket;
    this.#options.observer.waitsNoMore(request);
    try {
      request.waiter?.routed(this.#sent(ticket, this.#options.clock.now()));
    } catch (error) {
      request.refuse(error);
    }
  }

  /** Returns the result of a ticket that was dispatched. */
  #sent(ticket: Ticket<QueuedRequest>, now: number): RoutedRequest {
    this.#decide(ticket.request, "Dispatched", ticket.arrivedAt, now);
    return this.#resultOf(ticket);
  }

  #resultOf(ticket: Ticket<QueuedRequest>): RoutedRequest {
    const result = ticket.request.take();
    if (result === undefined || result instanceof Error) {
      this.ended(ticket, { inputTokens: 0, outputTokens: 0 });
      throw result ?? new Error("a request left its queue and was not sent");
    }
    return { ...result, inFlight: new TrackedFlight(result, ticket, this) };
  }

  #refuse(ticket: Ticket<QueuedRequest>, refusal: Refusal, now: number): void {
    const { request } = ticket;
    this.#decide(request, refusal.outcome, ticket.arrivedAt, now);
    const error = refusalError(refusal);
    if (request.isArriving) {
      request.result = error;
      return;
    }
    this.#options.observer.waitsNoMore(request);
    request.refuse(error);
  }

  #cancel(ticket: Ticket<QueuedRequest>): void {
    const { controller, clock, observer } = this.#options;
    if (!controller.cancel(ticket, clock.now())) return;
    observer.waitsNoMore(ticket.request);
    this.#decide(ticket.request, "EvictedContextCancelled", ticket.arrivedAt);
  }

  #decide(
    request: QueuedRequest,
    outcome: FlowOutcome,
    since: number,
    now = this.#options.clock.now(),
  ): void {
    this.#options.observer.decided(request, outcome, (now - since) / 1000);
  }

  /** Schedules one turn for all requests that end in the same turn of the event loop. */
  #turnSoon(): void {
    if (this.#isTurnDue || this.#options.controller.size === 0) return;
    this.#isTurnDue = true;
    setImmediate(() => {
      this.#isTurnDue = false;
      this.#turn(this.#options.clock.now());
    });
  }

  #turnLater(): void {
    this.#turning ??= setTimeout(() => {
      this.#turning = undefined;
      this.#turn(this.#options.clock.now());
      if (this.#options.controller.size > 0) this.#turnLater();
    }, turnInterval);
  }
}
