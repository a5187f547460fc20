import type { FlowRequest } from "./flow-request.ts";
import { Heap, type HeapEntry } from "./heap.ts";
import type { Waiting } from "./waiting.ts";

/** How requests on their way are cut off for others (llm-d-router, controller/internal/reclamation.go). */
export interface EvictionSettings {
  /** Milliseconds after the end of a victim's stream until its room is seen in the saturation. */
  readonly settling: number;
}

/** Requests that are cut off at once, at most: what each of them takes is a guess. */
const mostAtOnce = 2;
/** Milliseconds after which a victim counts as ended although its stream is not. */
const confirmedAfter = 10_000;

/** A band that has requests and may not dispatch. */
export interface Blocked {
  readonly priority: number;
  readonly saturation: number;
  readonly ceiling: number;
}

/**
 * Requests below priority 0 that are on their way, and may be cut off for requests of higher priority. The next are cut off
 * when the last ones have ended and their room is seen.
 */
export class Reclaim<Request extends FlowRequest> {
  readonly #settling: number;
  /** Requests that may be cut off: the lowest priority first, in it the newest. */
  readonly #sheddable = new Heap<Waiting<Request>>();
  readonly #slots = new Map<Waiting<Request>, HeapEntry<Waiting<Request>>>();
  /** Victims whose streams have not ended, and when they were chosen. */
  readonly #pending = new Map<Waiting<Request>, number>();
  /** When the room of the last victims is seen. */
  #settledAt = Number.NEGATIVE_INFINITY;
  #dispatched = 0;

  constructor({ settling }: EvictionSettings) {
    this.#settling = settling;
  }

  /** The priority of the next victim; undefined where nothing may be cut off. */
  get lowest(): number | undefined {
    return this.#sheddable.first?.key;
  }

  dispatched(waiting: Waiting<Request>): void {
    const { priority } = waiting.request.flow;
    if (priority >= 0) return;
    this.#dispatched += 1;
    this.#slots.set(waiting, this.#sheddable.add(waiting, priority, -this.#dispatched));
  }

  completed(waiting: Waiting<Request>, now: number): void {
    this.#untrack(waiting);
    if (this.#pending.delete(waiting)) this.#settledAt = now + this.#settling;
  }

  /** Whether the room of earlier victims is seen. */
  isSettled(now: number): boolean {
    for (const [waiting, since] of this.#pending) {
      if (now - since < confirmedAfter) return false;
      this.#pending.delete(waiting);
      this.#settledAt = now + this.#settling;
    }
    return now >= this.#settledAt;
  }

  /**
   * Chooses whom to cut off for a blocked band: as many as bring the saturation below its ceiling, where each of the
   * requests on their way takes the same part of it.
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
    const place = this.#slots.get(waiting);
    if (place === undefined) return;
    this.#sheddable.remove(place);
    this.#slots.delete(waiting);
  }
}
