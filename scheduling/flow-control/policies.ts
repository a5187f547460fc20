import type { Ticket, Usage } from "./flow-request.ts";

/** A ticket with what orders it: the policies read no more. */
export interface Ordered {
  readonly receivedAt: number;
  readonly arrivedAt: number;
  readonly sequence: number;
  /** Time at which it expires by its own limit and the configured one together; infinite where there is none. */
  readonly deadline: number;
  /** Time by which its first token is wanted; infinite where nobody says. */
  readonly firstTokenDeadline: number;
}

/** The order of requests in a flow. */
export interface OrderingPolicy {
  /** The request with the lowest number goes first; among equal ones the one that came first. */
  rank(request: Ordered): number;
}

/** A flow of a band, as policies see it. */
export interface FairFlow {
  readonly id: string;
  /** The request that goes next; undefined where none waits. */
  readonly head: Ticket | undefined;
  /** Its number by the band's ordering. */
  readonly headRank: number;
  /** Requests that wait. Some may be set aside for the rest of a turn, so that none is the head. */
  readonly requests: number;
}

/** Which flow of a band goes next. */
export interface FairnessPolicy {
  /** Returns the state for one band. */
  forBand(): BandFairness;
}

/** The turns of one band's flows. */
export interface BandFairness {
  /** Another request is the flow's head, or none. It is called for every change. */
  headChanged(flow: FairFlow, now: number): void;
  /** Returns a flow that has a request; undefined where none has. Picking changes nothing. */
  pick(now: number): FairFlow | undefined;
  /** The flow's head goes to a model server; `headChanged` follows. */
  dispatched(flow: FairFlow, ticket: Ticket, now: number): void;
  /**
   * A request of the flow goes to a model server without having waited, while no other waits: as if it had come to an empty
   * queue, and left it. Default: such a request takes the way through the queue.
   */
  passed?(flow: FairFlow, ticket: Ticket, now: number): void;
  /** The response of such a request has ended. */
  completed(flow: FairFlow, ticket: Ticket, usage: Usage, now: number): void;
  /**
   * Flows share the queue, too: where it is full, a request of a flow that has fewer in it takes the place of the newest of the
   * flow that has most. Default: a queue is full for all.
   */
  readonly sharesQueue?: boolean;
  /** No request of the band waits any more. */
  emptied?(): void;
  /** The flow is gone. */
  forget(flow: FairFlow): void;
}

/** Up to which saturation each band may dispatch. */
export interface CeilingPolicy {
  forPool(): PoolCeilings;
}

export interface PoolCeilings {
  /** Ceilings follow from how often they were asked for, too. Default: from the arguments alone. */
  readonly counts?: boolean;
  /**
   * Returns the ceiling of each priority, the highest priority first: a band whose ceiling the saturation has reached is
   * closed. It is called once for each request that may go.
   */
  ceilings(saturation: number, priorities: readonly number[], pool: PoolSize): ArrayLike<number>;
  /**
   * Returns what each priority leaves to higher ones, the highest priority first; undefined for one that leaves nothing. A
   * band that finds no place beyond it is closed, as those below. Default: nothing.
   */
  reserves?(priorities: readonly number[], pool: PoolSize): ReadonlyArray<Reserve | undefined>;
  /** A request of a priority goes to a model server. */
  dispatched?(priority: number): void;
}

/** Slots that requests leave to those of higher bands, as parts of all slots of a pool: from 0 to 1. */
export interface Reserve {
  /** Those that higher bands use. */
  readonly used: number;
  /** Those that nobody uses besides, so that servers which are left to higher bands answer soon. */
  readonly free: number;
  /** The same at least, so that a request of a higher band finds one, and at most. */
  readonly least: number;
  readonly most: number;
}

/** How large a pool is. */
export interface PoolSize {
  readonly endpoints: number;
  /** Requests that they work on at once, as far as it is known. */
  readonly slots: number;
}
