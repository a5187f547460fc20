import type { Flow } from "./flow.ts";
import type { FlowRequest, Ticket, TicketState } from "./flow-request.ts";
import type { HeapEntry } from "./heap.ts";
import type { Ordered } from "./policies.ts";

/** A request with its entries in the queues. */
export class Waiting<Request extends FlowRequest> implements Ticket<Request>, Ordered {
  readonly request: Request;
  readonly flow: Flow<Request>;
  readonly arrivedAt: number;
  readonly sequence: number;
  readonly receivedAt: number;
  readonly deadline: number;
  readonly firstTokenDeadline: number;
  state: TicketState = "waiting";
  /** Rank by the band's ordering. */
  rank = 0;
  /** Entry in the flow's queue, while the request is in it. */
  place: HeapEntry<Waiting<Request>> | undefined;
  /** Entry in the flow's list by order of arrival, if the flow's queue has another order. */
  placeByArrival: HeapEntry<Waiting<Request>> | undefined;
  /** Entry among the requests with a `ttl`. */
  ownLimit: HeapEntry<Waiting<Request>> | undefined;
  /** Neighbours in order of arrival. */
  before: Waiting<Request> | undefined;
  after: Waiting<Request> | undefined;

  constructor(
    request: Request,
    flow: Flow<Request>,
    { now, sequence, ttl }: { readonly now: number; readonly sequence: number; ttl: number },
  ) {
    this.request = request;
    this.flow = flow;
    this.arrivedAt = now;
    this.sequence = sequence;
    this.receivedAt = request.receivedAt;
    this.deadline = now + Math.min(request.ttl ?? Number.POSITIVE_INFINITY, ttl);
    this.firstTokenDeadline =
      request.receivedAt + (request.firstTokenWithin ?? Number.POSITIVE_INFINITY);
  }
}
