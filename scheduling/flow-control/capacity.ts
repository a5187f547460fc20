import type { FlowRequest } from "./flow-request.ts";
import type { PoolSize, Reserve } from "./policies.ts";

/** What model servers can take at the moment. It is asked again after every request that it took. */
export interface Capacity<Request extends FlowRequest = FlowRequest> {
  /** How full the pool is, with the requests that were taken in this turn. */
  saturation(): number;
  size(): PoolSize;
  /**
   * Requests that the pool has places for; 0 ends the turn.
   * @param flows that compete for places. Default: one
   */
  freeSlots(flows?: number): number;
  /** Whether there is a place beyond a reserve. Default: reserves do not count. */
  hasSlotBeyond?(reserve: Reserve): boolean;
  /**
   * Takes a place for a request. Returns false where all endpoints that it may go to are full while others are not: it
   * keeps its place in the queue, and others may pass it.
   * @param reserve what it leaves to requests of higher bands
   */
  take(request: Request, reserve?: Reserve): boolean;
  /**
   * The same for a request that was not taken in this turn, when all others have been asked: what is still free nobody else
   * wants. Default: what it was not taken for it is not taken for now.
   */
  takeRest?(request: Request, reserve?: Reserve): boolean;
}
