import type { Ticket, Usage } from "./flow-request.ts";

/** The values of a ticket that ordering policies read. */
export interface Ordered {
  readonly receivedAt: number;
  readonly arrivedAt: number;
  readonly sequence: number;
  /**
   * Time at which the request expires, by its own limit or the configured limit, whichever is earlier; infinite without
   * a limit.
   */
  readonly deadline: number;
  /** Time by which the client wants the first token; infinite if the client sets no such time. */
  readonly firstTokenDeadline: number;
}

/** The order of requests in a flow. */
export interface OrderingPolicy {
  /** Returns the rank of a request. The lowest rank is dispatched first, and equal ranks in order of arrival. */
  rank(request: Ordered): number;
  /**
   * Share of dispatches that take the oldest request instead of the lowest rank, from 0 to 1, so that later requests
   * cannot delay a request without end. Default 0, for ranks in order of arrival.
   */
  readonly oldestShare?: number;
}

/** A flow of a band, as policies see it. */
export interface FairFlow {
  readonly id: string;
  /** The next request; undefined if none is queued. */
  readonly head: Ticket | undefined;
  /** The queued request with the lowest rank by the band's ordering, which is not the head if the oldest is next. */
  readonly first: Ticket | undefined;
  /** Rank of `first`; infinite if none is queued. */
  readonly firstRank: number;
  /** The queued request that arrived first. */
  readonly oldest: Ticket | undefined;
  /** Number of queued requests. They may all be set aside for the rest of a turn, so that there is no head. */
  readonly requests: number;
}

/** Selects the next flow of a band. */
export interface FairnessPolicy {
  /** Creates the state of one band. */
  forBand(): BandFairness;
}

/** The turns of one band's flows. */
export interface BandFairness {
  /** Called for every change of the flow's head, first or oldest request, also when the flow has no more requests. */
  headChanged(flow: FairFlow, now: number): void;
  /**
   * Returns a flow that has a request; undefined if none has. Picking changes nothing.
   *
   * @param takesOldest whether the band's oldest request is next; false unless `ignoresFlows`
   */
  pick(now: number, takesOldest: boolean): FairFlow | undefined;
  /** Called when the flow's head is dispatched; `headChanged` follows. */
  dispatched(flow: FairFlow, ticket: Ticket, now: number): void;
  /**
   * Called when a request of the flow is dispatched without waiting, while no other request is queued: it counts as if
   * it had entered and left an empty queue. Default: such a request is queued.
   */
  passed?(flow: FairFlow, ticket: Ticket, now: number): void;
  /** Called when the response of a dispatched request has ended. */
  completed(flow: FairFlow, ticket: Ticket, usage: Usage, now: number): void;
  /**
   * Whether flows also share the queue: if it is full, a request of a shorter flow displaces the newest request of the
   * longest flow. Default: a full queue refuses all requests.
   */
  readonly sharesQueue?: boolean;
  /** Whether the flows are one queue, so that the band counts the turns of the oldest request. Default: each flow does. */
  readonly ignoresFlows?: boolean;
  /** Called when the band has no queued requests left. */
  emptied?(): void;
  /** Called when the flow is forgotten. */
  forget(flow: FairFlow): void;
}

/** Sets the saturation up to which each band may dispatch. */
export interface CeilingPolicy {
  forPool(): PoolCeilings;
}

export interface PoolCeilings {
  /** Whether ceilings also depend on how often they were computed. Default: only on the arguments. */
  readonly counts?: boolean;
  /**
   * Returns the ceiling of each priority, highest priority first. A band is closed once the saturation reaches its
   * ceiling. Called once per request that may be dispatched.
   */
  ceilings(saturation: number, priorities: readonly number[], pool: PoolSize): ArrayLike<number>;
  /**
   * Returns the slots that each priority reserves for higher priorities, highest priority first; undefined if no slots
   * are reserved. A band without a free slot beyond its reserve is closed, with all bands below it. Default: no
   * reserves.
   */
  reserves?(priorities: readonly number[], pool: PoolSize): ReadonlyArray<Reserve | undefined>;
  /** Called when a request of a priority is dispatched. */
  dispatched?(priority: number): void;
}

/** Slots that requests leave to higher bands, as shares of all slots of a pool: from 0 to 1. */
export interface Reserve {
  /** Slots that higher bands use. */
  readonly used: number;
  /** Additional slots that stay unused, so that servers reserved for higher bands respond quickly. */
  readonly free: number;
  /** Lower limit of `free`, so that a request of a higher band finds a slot; `most` is the upper limit. */
  readonly least: number;
  readonly most: number;
}

/** Size of a pool. */
export interface PoolSize {
  readonly endpoints: number;
  /** Number of requests that the endpoints run concurrently, as far as known. */
  readonly slots: number;
}
