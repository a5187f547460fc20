import type { Band } from "./band.ts";
import type { FlowRequest } from "./flow-request.ts";
import { Heap } from "./heap.ts";
import { OldestTurns } from "./oldest-turns.ts";
import type { FairFlow } from "./policies.ts";
import type { Waiting } from "./waiting.ts";

/** The queue of one flow in one band. */
export class Flow<Request extends FlowRequest> implements FairFlow {
  readonly id: string;
  readonly band: Band<Request>;
  readonly queue = new Heap<Waiting<Request>>();
  /** The same requests in order of arrival; undefined if `queue` has this order. */
  readonly #byArrival: Heap<Waiting<Request>> | undefined;
  readonly #turns: OldestTurns;
  /** Number of queued requests, including requests that are set aside for a moment. */
  requests = 0;
  bytes = 0;
  /** Number of dispatched requests that have not ended. */
  inFlight = 0;
  /** Time since when the flow has no queued or in-flight request; undefined while it has one. */
  idleSince: number | undefined;

  constructor(id: string, band: Band<Request>) {
    this.id = id;
    this.band = band;
    const { oldestShare = 0 } = band.ordering;
    this.#byArrival = oldestShare > 0 ? new Heap() : undefined;
    this.#turns = band.turns ?? new OldestTurns(oldestShare);
  }

  get head(): Waiting<Request> | undefined {
    return this.#turns.isNext ? this.oldest : this.first;
  }

  get first(): Waiting<Request> | undefined {
    return this.queue.first?.item;
  }

  get firstRank(): number {
    return this.queue.first?.key ?? Number.POSITIVE_INFINITY;
  }

  get oldest(): Waiting<Request> | undefined {
    return (this.#byArrival ?? this.queue).first?.item;
  }

  /** The request that arrived last; undefined if the queue is empty. Takes O(n). */
  get newest(): Waiting<Request> | undefined {
    let newest: Waiting<Request> | undefined;
    for (const { item } of this.queue.entries())
      if (newest === undefined || item.sequence > newest.sequence) newest = item;
    return newest;
  }

  /** Queues a request at its position in the band's ordering. */
  add(waiting: Waiting<Request>, now: number): void {
    const { first, oldest } = this;
    waiting.place = this.queue.add(waiting, waiting.rank, waiting.sequence);
    waiting.placeByArrival = this.#byArrival?.add(waiting, waiting.sequence, 0);
    if (this.first !== first || this.oldest !== oldest) this.band.fairness.headChanged(this, now);
  }

  remove(waiting: Waiting<Request>, now: number): void {
    if (waiting.place === undefined) return;
    const { first, oldest } = this;
    this.queue.remove(waiting.place);
    if (waiting.placeByArrival !== undefined) this.#byArrival?.remove(waiting.placeByArrival);
    waiting.place = undefined;
    waiting.placeByArrival = undefined;
    if (first === waiting || oldest === waiting) this.band.fairness.headChanged(this, now);
  }

  /** Ends the turn of a dispatched request. */
  endTurn(now: number): void {
    const { head } = this;
    this.#turns.taken();
    if (this.head !== head) this.band.fairness.headChanged(this, now);
  }
}
