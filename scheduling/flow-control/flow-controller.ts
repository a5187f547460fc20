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
import { Waiting } from "./waiting.ts";

/** What becomes of a request at arrival: it waits, or it is refused. */
export type Arrival<Request extends FlowRequest> =
  | {
      readonly ticket: Ticket<Request>;
      readonly refusal?: undefined;
      /** The request of another flow whose place it took. */
      readonly displaced?: Expired<Request> | undefined;
    }
  | { readonly ticket?: undefined; readonly refusal: Refusal; readonly displaced?: undefined };

/** A request that has waited in vain. */
export interface Expired<Request extends FlowRequest> {
  readonly ticket: Ticket<Request>;
  readonly refusal: Refusal;
}

/**
 * Holds requests until model servers have room for them: bands by priority, in each band flows that take turns, in each
 * flow requests in an order. It is a state machine: time comes as an argument, in milliseconds, and must not go back; it has
 * no timers and calls nobody but the `Capacity` that it is given.
 *
 * Its owner calls
 * - `poolChanged` when the pool's endpoints change;
 * - `pass` for each request that was parsed; `arrive` where it must wait, then `dispatch`;
 * - `dispatch` whenever there may be room: a response ended, metrics were read, the pool changed. While requests wait
 *   also every few milliseconds, for a ceiling may open a band for a share of the turns;
 * - `expire` at `nextDeadline`, and before `dispatch` where that time has passed;
 * - `cancel` when the client of a waiting request goes;
 * - `evict` after `dispatch`: it answers whose streams must end;
 * - `completed` exactly once for each dispatched request, when its stream has ended, however it has ended;
 * - `close` when the picker shuts down.
 */
export class FlowController<Request extends FlowRequest = FlowRequest> {
  readonly #settings: FlowControlSettings;
  readonly #drain = new DrainRate();
  readonly #bands: Bands<Request>;
  /** Every request that waits. */
  readonly #arrivals = new Arrivals<Request>();
  /** Those that have a limit of their own, by its time. */
  readonly #ownLimits = new Heap<Waiting<Request>>();
  #requests = 0;
  #bytes = 0;
  #sequence = 0;
  #isEmpty = false;
  /** When the pool became empty, or ceased to be. */
  #changedAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;
  /** Requests that were dispatched and have not ended. */
  #inFlight = 0;
  readonly #reclaim: Reclaim<Request> | undefined;

  constructor(settings: FlowControlSettings) {
    this.#settings = settings;
    this.#bands = new Bands(settings);
    this.#reclaim = settings.eviction && new Reclaim(settings.eviction);
  }

  /** Requests that wait. */
  get size(): number {
    return this.#requests;
  }

  /** Share of the pool that requests which wait must leave to those of higher bands, at the last `dispatch`. */
  get ejected(): number {
    return 1 - Math.min(1, this.#bands.blocked?.ceiling ?? 1);
  }

  /**
   * Tells whether the pool has an endpoint that can answer. While it has none nothing is dispatched, and waiting has other
   * limits; it begins anew at a change.
   */
  poolChanged(canAnswer: boolean, now: number): void {
    if (this.#isEmpty !== canAnswer) return;
    this.#isEmpty = !canAnswer;
    this.#changedAt = now;
  }

  /**
   * Lets a request go at once where none waits, there is room and its band is open: it does what `arrive` and `dispatch` would,
   * without a queue. Undefined where it has to ask them.
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
    waiting.state = "dispatched";
    band.fairness.passed(flow, waiting, now);
    this.#bands.shares?.pass(band, band.weight, waiting, now);
    return waiting;
  }

  /** Queues a request, or refuses it where the queues are full. */
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
   * Lets requests go, as many as the capacity takes, from the highest band down. A band at whose ceiling the pool is ends
   * the turn: bands below it wait too. Where bands share by weight, the one goes that has used least among those that are
   * open. Returned tickets are dispatched; the capacity has taken them.
   */
  dispatch(now: number, capacity: Capacity<Request>): readonly Ticket<Request>[] {
    const dispatched: Waiting<Request>[] = [];
    const setAside: Waiting<Request>[] = [];
    this.#bands.blocked = undefined;
    if (this.#isEmpty) return dispatched;
    // For a place that is only kept from a flow no request is cut off.
    const flows = this.#reclaim === undefined ? this.#bands.busyFlows : 1;
    while (this.#requests > setAside.length) {
      const isFull = capacity.freeSlots(flows) <= 0;
      if (isFull && this.#reclaim === undefined) break;
      const saturation = capacity.saturation();
      // Without a place the pool is full, whatever its metrics say.
      const full = isFull ? Math.max(1, saturation) : saturation;
      const waiting = this.#bands.next(full, capacity, now);
      if (waiting === undefined || isFull) break;
      const { band } = waiting.flow;
      this.#notifyTurn(waiting.request, band, saturation);
      if (capacity.take(waiting.request, this.#bands.reserveOf(band))) {
        this.#dispatch(waiting, now);
        dispatched.push(waiting);
      } else {
        // It keeps its number, and so its place.
        waiting.flow.remove(waiting, now);
        setAside.push(waiting);
        if (setAside.length >= limits.requestsSetAside.value) break;
      }
    }
    for (const waiting of setAside) waiting.flow.add(waiting, now);
    for (const waiting of setAside) {
      if (capacity.freeSlots(flows) <= 0) break;
      if (!this.#takesRest(waiting, capacity)) continue;
      this.#dispatch(waiting, now);
      dispatched.push(waiting);
    }
    return dispatched;
  }

  /** Removes a request that waits. Returns false where it does not wait any more. */
  cancel(ticket: Ticket<Request>, now: number): boolean {
    const waiting = ticket as Waiting<Request>;
    if (waiting.state !== "waiting") return false;
    this.#leave(waiting, now);
    return true;
  }

  /** Removes requests that have waited for too long, and forgets what has been idle for long. */
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

  /** When `expire` has something to do next; undefined where it has not. */
  nextDeadline(): number | undefined {
    const { first } = this.#arrivals;
    const next = Math.min(
      first === undefined ? Number.POSITIVE_INFINITY : this.#budgetEnd(first),
      this.#ownLimits.first?.key ?? Number.POSITIVE_INFINITY,
      this.#bands.nextDeadline(),
    );
    return next === Number.POSITIVE_INFINITY ? undefined : next;
  }

  /** The response of a dispatched request has ended. A second call does nothing. */
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
   * Chooses requests below priority 0 on their way that make room for a band of higher priority which the last `dispatch`
   * found closed. The owner ends their streams, and calls `completed` as for every other. Returns none while the room of
   * earlier ones is not seen.
   */
  evict(now: number): readonly Ticket<Request>[] {
    const reclaim = this.#reclaim;
    const blocked = this.#bands.blocked;
    if (reclaim === undefined || blocked === undefined || !reclaim.isSettled(now)) return [];
    this.#bands.blocked = undefined;
    return reclaim.victims(blocked, this.#inFlight, now);
  }

  /** Refuses every request that waits, and all that come. */
  close(now: number): readonly Expired<Request>[] {
    this.#isClosed = true;
    const refused: Expired<Request>[] = [];
    for (let { first } = this.#arrivals; first !== undefined; { first } = this.#arrivals) {
      this.#leave(first, now);
      refused.push({ ticket: first, refusal: { outcome: "EvictedOther", retryAfter: undefined } });
    }
    return refused;
  }

  /** What waits now, for metrics and debug pages. */
  queues(now: number): QueuesView {
    const { maxRequests, maxBytes } = this.#settings;
    return {
      requests: this.#requests,
      bytes: this.#bytes,
      maxRequests,
      maxBytes,
      dispatchedPerSecond: this.#drain.perSecond(now),
      bands: this.#bands.view(now),
    };
  }

  /** Whether a request goes to a place that all others have left. */
  #takesRest({ request, flow: { band } }: Waiting<Request>, capacity: Capacity<Request>): boolean {
    if (capacity.takeRest === undefined) return false;
    const saturation = capacity.saturation();
    if (!this.#bands.isOpen(band, saturation, capacity)) return false;
    this.#notifyTurn(request, band, saturation);
    return capacity.takeRest(request, this.#bands.reserveOf(band));
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
    waiting.state = "dispatched";
  }

  /** Counts a request that goes to a model server. */
  #setOut(waiting: Waiting<Request>, now: number): void {
    waiting.flow.inFlight += 1;
    this.#inFlight += 1;
    this.#bands.dispatched(waiting.flow.band);
    this.#reclaim?.dispatched(waiting);
    this.#drain.add(now);
  }

  /** Counts a request that begins to wait. */
  #enter(waiting: Waiting<Request>): void {
    const { flow, request } = waiting;
    const { band } = flow;
    this.#bands.wake(flow);
    for (const counted of [flow, band]) {
      counted.requests += 1;
      counted.bytes += request.bytes;
    }
    this.#requests += 1;
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

  /** Takes a request out of every queue. */
  #leave(waiting: Waiting<Request>, now: number): void {
    const { flow, request } = waiting;
    const { band } = flow;
    waiting.state = "ended";
    for (const counted of [flow, band]) {
      counted.requests -= 1;
      counted.bytes -= request.bytes;
    }
    this.#requests -= 1;
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

  /** Makes room for a request by refusing the newest one of a flow that has more in the queue of its band. */
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

  /** When a request has used up what the configuration allows: the limit counts anew when the pool changes. */
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
