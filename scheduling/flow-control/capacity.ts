import type { FlowRequest } from "./flow-request.ts";
import type { PoolSize, Reserve } from "./policies.ts";

/** Current capacity of the model servers. It is read again after every request that it took. */
export interface Capacity<Request extends FlowRequest = FlowRequest> {
  /** Returns the saturation of the pool, including the requests taken in this turn. */
  saturation(): number;
  size(): PoolSize;
  /**
   * Returns the number of free slots; 0 ends the turn.
   * @param flows number of flows that compete for slots. Default 1
   */
  freeSlots(flows?: number): number;
  /** Whether a slot beyond a reserve is free. Default: reserves do not count. */
  hasSlotBeyond?(reserve: Reserve): boolean;
  /**
   * Takes a slot for a request. Returns false if all endpoints for the request are full while other endpoints are not:
   * the request keeps its position in the queue, and later requests may pass it.
   * @param reserve slots that the request must leave free for higher bands
   */
  take(request: Request, reserve?: Reserve): boolean;
}
