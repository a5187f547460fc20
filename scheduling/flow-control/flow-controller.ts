import { limits } from "../limits.ts";
import { Arrivals } from "./arrivals.ts";
import type { Band } from "./band.ts";
import { Bands } from "./bands.ts";
import type { Capacity } from "./capacity.ts";
import { DrainRate } from "./drain-rate.ts";
import type { Flow } from "./flow.ts";
import type { FlowRequest, Ticket, Usage } from "./flow-request.ts";
import { Heap } from "./heap.ts";
import { outcomes, type Refusal } from "./outcomes.ts";
import type { QueuesView } from "./queues-view.ts";
import { Reclaim } from "./reclaim.ts";
import type { FlowControlSettings } from "./settings.ts";
import { type WaitReason, WaitTimes } from "./wait-times.ts";
import { Waiting } from "./waiting.ts";

/** Result of an arrival: the request is queued or refused. */
export type Arrival<Request extends FlowRequest> =
  | {
      readonly ticket: Ticket<Request>;
      readonly refusal?: undefined;
      /** The request of another flow that it displaced. */
      readonly displaced?: Expired<Request> | undefined;
    }
  | { readonly ticket?: undefined; readonly refusal: Refusal; readonly displaced?: undefined };

/** A queued request that was removed without a dispatch. */
export interface Expired<Request extends FlowRequest> {
  readonly ticket: Ticket<Request>;
  readonly refusal: Refusal;
}

/**
 * Queues requests until model servers have capacity: bands by priority, in each band flows that take turns, in each
 * flow ordered requests. It is a state machine: callers pass the time, in ms, which must never decrease. It has no
 * timers, and calls only the `Capacity` that it is given.
 *
 * Its owner calls
 * - `poolChanged` when the pool's endpoints change;
 * - `pass` for each parsed request; if that returns undefined, `arrive`, then `dispatch`;
 * - `dispatch` whenever capacity may be free: a response ended, metrics were read, the pool changed. While requests are
 *   queued also every few milliseconds, because a ceiling may open a band for a share of the turns;
 * - `expire` at `nextDeadline`, and before `dispatch` if that time has passed;
 * - `cancel` when the client of a queued request disconnects;
 * - `evict` after `dispatch`: it returns the requests whose streams must end;
 * - `completed` exactly once per dispatched request, when its stream has ended for any reason;
 * - `close` when the picker shuts down.
 */
export class FlowController<Request extends FlowRequest = FlowRequest> {
  readonly #settings: FlowControlSettings;
  readonly #drain = new DrainRate();
  readonly #waits = new WaitTimes();
  readonly #bands: Bands<Request>;
  /** All queued requests. */
  readonly #arrivals = new Arrivals<Request>();
  /** The queued requests with a `ttl`, by the time at which it ends. */
  readonly #ownLimits = new Heap<Waiting<Request>>();
  #requests = 0;
  #bytes = 0;
  #sequence = 0;
  #isEmpty = false;
  /** Time at which the pool last became empty or stopped being empty. */
  #changedAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;
  /** Number of dispatched requests that have not ended. */
  #inFlight = 0;
  readonly #reclaim: Reclaim<Request> | undefined;

  constructor(settings: FlowControlSettings) {
    this.#settings = settings;
    this.#bands = new Bands(settings);
    this.#reclaim = settings.eviction && new Reclaim(settings.eviction);
  }

  /** Number of queued requests. */
  get size(): number {
    return this.#requests;
  }

  /** Share of the pool that queued requests must leave to higher bands, at the last `dispatch`. */
  get ejected(): number {
    return 1 - Math.min(1, this.#bands.blocked?.ceiling ?? 1);
  }

  /**
   * Reports whether the pool has an endpoint that can respond. Without one, nothing is dispatched, and another time to
   * live applies. A change restarts the time to live.
   */
  poolChanged(canAnswer: boolean, now: number): void {
    if (this.#isEmpty !== canAnswer) return;
    this.#isEmpty = !canAnswer;
    this.#changedAt = now;
    this.#waits.blocked(canAnswer ? "no_slot" : "no_endpoint", now);
  }

  /**
   * Dispatches a request immediately if none is queued, a slot is free and its band is open. This has the effect of
   * `arrive` and `dispatch`, without a queue. Returns undefined if they must be used.
   */
  pass(request: Request, now: number, capacity: Capacity<Request>): Ticket<Request> | undefined {
    const { bytes, flow: key, ttl = 1 } = request;
    if (this.#requests > 0 || this.#isClosed || this.#isEmpty) return undefined;
    if (this.#bands.turnsCount || ttl <= 0) return undefined;
    if (capacity.freeSlots() <= 0) return undefined;
    const band = this.#bands.of(key.priority, now);
    if (band.fairness.passed === undefined) return undefined;
    if (!this.#hasCapacity(bytes) || !band.hasCapacity(bytes)) return undefined;
    const saturation = capacity.saturation();
    if (!this.#bands.isOpen(band, saturation, capacity)) return undefined;
    this.#notifyTurn(request, band, saturation);
    if (!capacity.take(request, this.#bands.reserveOf(band))) return undefined;
    const flow = band.flow(key.id);
    const waiting = this.#newWaiting(request, flow, now);
    this.#bands.wake(flow);
    this.#setOut(waiting, now);
    flow.endTurn(now);
    waiting.state = "dispatched";
    band.fairness.passed(flow, waiting, now);
    this.#bands.shares?.pass(band, band.weight, waiting, now);
    return waiting;
  }

  /** Queues a request, or refuses it if the queues are full. */
  arrive(request: Request, now: number): Arrival<Request> {
    if (this.#isClosed) return { refusal: { outcome: "RejectedOther", retryAfter: undefined } };
    const { bytes, flow: key } = request;
    const band = this.#bands.of(key.priority, now);
    let displaced: Expired<Request> | undefined;
    if (!this.#hasCapacity(bytes) || !band.hasCapacity(bytes)) {
      const outcome = this.#isEmpty ? "RejectedNoEndpoints" : "RejectedCapacity";
      const refusal = this.#refusal(outcome, band.priority, now);
      displaced = this.#displace(band, request, refusal, now);
      if (displaced === undefined) return { refusal };
    }
    const flow = band.flow(key.id);
    const waiting = this.#newWaiting(request, flow, now);
    waiting.rank = band.ordering.rank(waiting);
    this.#enter(waiting);
    flow.add(waiting, now);
    return { ticket: waiting, displaced };
  }

  /**
   * Dispatches requests from the highest band down until the capacity is used. A band that has reached its ceiling ends
   * the turn: bands below it wait too. If bands share by weight, the open band with the least use is next. The capacity
   * has taken the returned tickets.
   */
  dispatch(now: number, capacity: Capacity<Request>): readonly Ticket<Request>[] {
    const dispatched: Waiting<Request>[] = [];
    const setAside: Waiting<Request>[] = [];
    this.#bands.blocked = undefined;
    if (this.#isEmpty) return dispatched;
    // With eviction, slots that are only withheld from competing flows count as free: no request is evicted for them.
    const flows = this.#reclaim === undefined ? this.#bands.busyFlows : 1;
    let reason: WaitReason = "order";
    while (this.#requests > setAside.length) {
      const isFull = capacity.freeSlots(flows) <= 0;
      if (isFull) reason = "no_slot";
      if (isFull && this.#reclaim === undefined) break;
      const saturation = capacity.saturation();
      // Without a free slot the pool is full, whatever its metrics show.
      const full = isFull ? Math.max(1, saturation) : saturation;
      const waiting = this.#bands.next(full, capacity, now);
      if (waiting === undefined || isFull) break;
      const { band } = waiting.flow;
      this.#notifyTurn(waiting.request, band, saturation);
      if (capacity.take(waiting.request, this.#bands.reserveOf(band))) {
        this.#dispatch(waiting, now);
        dispatched.push(waiting);
      } else {
        // It keeps its sequence number, and therefore its position.
        waiting.flow.remove(waiting, now);
        setAside.push(waiting);
        if (setAside.length >= limits.requestsSetAside.value) break;
      }
    }
    for (const waiting of setAside) waiting.flow.add(waiting, now);
    const held = setAside.filter(({ request }) => request.isHeldNow === true).length;
    const others = { preferred_endpoint: setAside.length - held, working_set: held };
    this.#waits.blocked(reason, now, others);
    return dispatched;
  }

  /** Removes a queued request. Returns false if it is not queued. */
  cancel(ticket: Ticket<Request>, now: number): boolean {
    const waiting = ticket as Waiting<Request>;
    if (waiting.state !== "waiting") return false;
    this.#leave(waiting, now);
    return true;
  }

  /** Removes requests whose time to live has ended, and forgets idle flows and bands. */
  expire(now: number): readonly Expired<Request>[] {
    const expired: Expired<Request>[] = [];
    const outcome = this.#isEmpty ? "EvictedNoEndpoints" : "EvictedTTL";
    const drop = (waiting: Waiting<Request>) => {
      this.#leave(waiting, now);
      const refusal = this.#refusal(outcome, waiting.flow.band.priority, now);
      expired.push({ ticket: waiting, refusal });
    };
    for (let own = this.#ownLimits.first; own !== undefined; own = this.#ownLimits.first) {
      if (own.key > now) break;
      drop(own.item);
    }
    for (let { first } = this.#arrivals; first !== undefined; { first } = this.#arrivals) {
      if (this.#budgetEnd(first) > now) break;
      drop(first);
    }
    this.#bands.collect(now);
    return expired;
  }

  /** Returns the time at which `expire` has something to do; undefined if it has nothing. */
  nextDeadline(): number | undefined {
    const { first } = this.#arrivals;
    const next = Math.min(
      first === undefined ? Number.POSITIVE_INFINITY : this.#budgetEnd(first),
      this.#ownLimits.first?.key ?? Number.POSITIVE_INFINITY,
      this.#bands.nextDeadline(),
    );
    return next === Number.POSITIVE_INFINITY ? undefined : next;
  }

  /** Called when the response of a dispatched request has ended. A second call does nothing. */
  completed(ticket: Ticket<Request>, usage: Usage, now: number): void {
    const waiting = ticket as Waiting<Request>;
    if (waiting.state !== "dispatched") return;
    waiting.state = "ended";
    const { flow } = waiting;
    flow.inFlight -= 1;
    this.#inFlight -= 1;
    flow.band.fairness.completed(flow, waiting, usage, now);
    this.#bands.shares?.completed(flow.band, waiting, usage, now);
    this.#reclaim?.completed(waiting, now);
    this.#bands.restIfIdle(flow, now);
  }

  /**
   * Selects in-flight requests below priority 0 to end for a band of higher priority, if the last `dispatch` found that
   * band closed. The owner ends their streams, and calls `completed` as for every request. Returns no requests until
   * the free slots of earlier victims are visible.
   */
  evict(now: number): readonly Ticket<Request>[] {
    const reclaim = this.#reclaim;
    const blocked = this.#bands.blocked;
    if (reclaim === undefined || blocked === undefined || !reclaim.isSettled(now)) return [];
    this.#bands.blocked = undefined;
    return reclaim.victims(blocked, this.#inFlight, now);
  }

  /** Refuses every queued request, and all later ones. */
  close(now: number): readonly Expired<Request>[] {
    this.#isClosed = true;
    const refused: Expired<Request>[] = [];
    for (let { first } = this.#arrivals; first !== undefined; { first } = this.#arrivals) {
      this.#leave(first, now);
      refused.push({ ticket: first, refusal: { outcome: "EvictedOther", retryAfter: undefined } });
    }
    return refused;
  }

  /** Returns the queued requests, for metrics and debug pages. */
  queues(now: number): QueuesView {
    const { maxRequests, maxBytes } = this.#settings;
    return {
      requests: this.#requests,
      bytes: this.#bytes,
      maxRequests,
      maxBytes,
      dispatchedPerSecond: this.#drain.perSecond(now),
      waitedSeconds: this.#waits.seconds(now),
      bands: this.#bands.view(now),
    };
  }

  #notifyTurn(request: Request, band: Band<Request>, saturation: number): void {
    request.turn?.(saturation, this.#bands.ceilingOf(band));
  }

  #newWaiting(request: Request, flow: Flow<Request>, now: number): Waiting<Request> {
    const sequence = this.#sequence;
    this.#sequence += 1;
    return new Waiting(request, flow, { now, sequence, ttl: this.#settings.requestTtl });
  }

  #dispatch(waiting: Waiting<Request>, now: number): void {
    const { flow } = waiting;
    flow.band.fairness.dispatched(flow, waiting, now);
    this.#bands.shares?.dispatched(flow.band, waiting, now);
    this.#setOut(waiting, now);
    this.#leave(waiting, now);
    flow.endTurn(now);
    waiting.state = "dispatched";
  }

  /** Counts a dispatched request. */
  #setOut(waiting: Waiting<Request>, now: number): void {
    waiting.flow.inFlight += 1;
    this.#inFlight += 1;
    this.#bands.dispatched(waiting.flow.band);
    this.#reclaim?.dispatched(waiting);
    this.#drain.add(now);
  }

  /** Counts a newly queued request. */
  #enter(waiting: Waiting<Request>): void {
    const { flow, request } = waiting;
    const { band } = flow;
    this.#bands.wake(flow);
    for (const counted of [flow, band]) {
      counted.requests += 1;
      counted.bytes += request.bytes;
    }
    this.#requests += 1;
    this.#waits.resized(this.#requests, waiting.arrivedAt);
    this.#bytes += request.bytes;
    this.#bands.shares?.enter(band, band.weight);
    this.#arrivals.add(waiting);
    if (request.ttl !== undefined)
      waiting.ownLimit = this.#ownLimits.add(
        waiting,
        waiting.arrivedAt + request.ttl,
        waiting.sequence,
      );
  }

  /** Removes a request from every queue. */
  #leave(waiting: Waiting<Request>, now: number): void {
    const { flow, request } = waiting;
    const { band } = flow;
    waiting.state = "ended";
    for (const counted of [flow, band]) {
      counted.requests -= 1;
      counted.bytes -= request.bytes;
    }
    this.#requests -= 1;
    this.#waits.resized(this.#requests, now);
    this.#bytes -= request.bytes;
    flow.remove(waiting, now);
    if (band.requests === 0) {
      band.fairness.emptied?.();
      this.#bands.shares?.leave(band);
    }
    this.#arrivals.remove(waiting);
    if (waiting.ownLimit !== undefined) this.#ownLimits.remove(waiting.ownLimit);
    waiting.ownLimit = undefined;
    this.#bands.restIfIdle(flow, now);
  }

  /** Frees space for a request by refusing the newest request of a longer flow in its band. */
  #displace(
    band: Band<Request>,
    { bytes, flow }: Request,
    refusal: Refusal,
    now: number,
  ): Expired<Request> | undefined {
    const newest = band.newestOfLongest(band.flows.get(flow.id)?.requests ?? 0);
    if (newest === undefined) return undefined;
    const more = bytes - newest.request.bytes;
    const { maxRequests, maxBytes } = this.#settings;
    const fits =
      this.#requests <= maxRequests &&
      this.#bytes + more <= maxBytes &&
      band.requests <= band.maxRequests &&
      band.bytes + more <= band.maxBytes;
    if (!fits) return undefined;
    this.#leave(newest, now);
    return { ticket: newest, refusal };
  }

  /**
   * Returns when the configured time to live of a request ends. It restarts when the pool becomes empty or stops being
   * empty.
   */
  #budgetEnd({ arrivedAt }: Waiting<Request>): number {
    const { requestTtl, noEndpointTtl } = this.#settings;
    return Math.max(arrivedAt, this.#changedAt) + (this.#isEmpty ? noEndpointTtl : requestTtl);
  }

  #hasCapacity(bytes: number): boolean {
    const { maxRequests, maxBytes } = this.#settings;
    return this.#requests < maxRequests && this.#bytes + bytes <= maxBytes;
  }

  #refusal(outcome: Refusal["outcome"], priority: number, now: number): Refusal {
    const ahead = this.#bands.requestsFrom(priority);
    const { mayRetry } = outcomes[outcome];
    return { outcome, retryAfter: mayRetry ? this.#drain.secondsFor(ahead + 1, now) : undefined };
  }
}
