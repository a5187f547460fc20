import type { Band } from "./band.ts";
import type { FlowRequest } from "./flow-request.ts";
import { Heap } from "./heap.ts";
import type { FairFlow } from "./policies.ts";
import type { Waiting } from "./waiting.ts";

/** The queue of one flow in one band. */
export class Flow<Request extends FlowRequest> implements FairFlow {
  readonly id: string;
  readonly band: Band<Request>;
  readonly queue = new Heap<Waiting<Request>>();
  /** Requests that wait, those set aside for a moment too. */
  requests = 0;
  bytes = 0;
  /** Requests on their way: dispatched and not ended. */
  inFlight = 0;
  /** Since when it has no request, waiting or on its way; undefined while it has. */
  idleSince: number | undefined;

  constructor(id: string, band: Band<Request>) {
    this.id = id;
    this.band = band;
  }

  get head(): Waiting<Request> | undefined {
    return this.queue.first?.item;
  }

  get headRank(): number {
    return this.queue.first?.key ?? Number.POSITIVE_INFINITY;
  }

  /** The request that came last; undefined where none has a place. It takes a look at each. */
  get newest(): Waiting<Request> | undefined {
    let newest: Waiting<Request> | undefined;
    for (const { item } of this.queue.entries())
      if (newest === undefined || item.sequence > newest.sequence) newest = item;
    return newest;
  }

  /** Gives a request its place, by the band's ordering. */
  add(waiting: Waiting<Request>, now: number): void {
    const { head } = this;
    waiting.place = this.queue.add(waiting, waiting.rank, waiting.sequence);
    if (this.head !== head) this.band.fairness.headChanged(this, now);
  }

  /** Takes a request's place away. */
  remove(waiting: Waiting<Request>, now: number): void {
    if (waiting.place === undefined) return;
    const { head } = this;
    this.queue.remove(waiting.place);
    waiting.place = undefined;
    if (head === waiting) this.band.fairness.headChanged(this, now);
  }
}
