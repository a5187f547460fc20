import type { FlowRequest } from "./flow-request.ts";
import { Heap, type HeapEntry } from "./heap.ts";
import type { Waiting } from "./waiting.ts";

/** Settings for evicting in-flight requests (llm-d-router, controller/internal/reclamation.go). */
export interface EvictionSettings {
  /** Time from the end of a victim's stream until the saturation shows its free slot, in ms. */
  readonly settling: number;
}

/** Maximum number of requests evicted together, because the load of each is an estimate. */
const mostAtOnce = 2;
/** Time after which a victim counts as ended although its stream has not ended, in ms. */
const confirmedAfter = 10_000;

/** A band that has requests and may not dispatch. */
export interface Blocked {
  readonly priority: number;
  readonly saturation: number;
  readonly ceiling: number;
}

/**
 * In-flight requests below priority 0, which may be evicted for requests of higher priority. Further requests are
 * evicted when the previous victims have ended and their free slots are visible.
 */
export class Reclaim<Request extends FlowRequest> {
  readonly #settling: number;
  /** Requests that may be evicted: lowest priority first, within a priority the newest first. */
  readonly #sheddable = new Heap<Waiting<Request>>();
  readonly #entries = new Map<Waiting<Request>, HeapEntry<Waiting<Request>>>();
  /** Victims whose streams have not ended, with the time of their selection. */
  readonly #pending = new Map<Waiting<Request>, number>();
  /** Time at which the free slots of the last victims are visible. */
  #settledAt = Number.NEGATIVE_INFINITY;
  #dispatched = 0;

  constructor({ settling }: EvictionSettings) {
    this.#settling = settling;
  }

  /** Priority of the next victim; undefined if no request may be evicted. */
  get lowest(): number | undefined {
    return this.#sheddable.first?.key;
  }

  dispatched(waiting: Waiting<Request>): void {
    const { priority } = waiting.request.flow;
    if (priority >= 0) return;
    this.#dispatched += 1;
    this.#entries.set(waiting, this.#sheddable.add(waiting, priority, -this.#dispatched));
  }

  completed(waiting: Waiting<Request>, now: number): void {
    this.#untrack(waiting);
    if (this.#pending.delete(waiting)) this.#settledAt = now + this.#settling;
  }

  /** Whether the free slots of earlier victims are visible. */
  isSettled(now: number): boolean {
    for (const [waiting, since] of this.#pending) {
      if (now - since < confirmedAfter) return false;
      this.#pending.delete(waiting);
      this.#settledAt = now + this.#settling;
    }
    return now >= this.#settledAt;
  }

  /**
   * Selects victims for a blocked band: enough to bring the saturation below its ceiling, up to `mostAtOnce`, if each
   * in-flight request has the same share of the saturation.
   */
  victims({ priority, saturation, ceiling }: Blocked, inFlight: number, now: number) {
    const needed = Math.ceil((saturation - ceiling) / (saturation / inFlight));
    const count = Math.min(mostAtOnce, Math.max(1, needed || 0));
    const victims: Waiting<Request>[] = [];
    while (victims.length < count) {
      const { first } = this.#sheddable;
      if (first === undefined || first.key >= priority) break;
      this.#untrack(first.item);
      this.#pending.set(first.item, now);
      victims.push(first.item);
    }
    return victims;
  }

  #untrack(waiting: Waiting<Request>): void {
    const place = this.#entries.get(waiting);
    if (place === undefined) return;
    this.#sheddable.remove(place);
    this.#entries.delete(waiting);
  }
}
