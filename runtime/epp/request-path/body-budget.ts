import { getHeapStatistics } from "node:v8";
import { RequestError } from "../../../scheduling/request-error.ts";
import { limits } from "../../limits.ts";

/** A body that is being received. */
export interface HeldBody {
  /** Priority of its request, as far as it is known. Default 0. */
  readonly priority?: number;
  /** Called where its room goes to another one. */
  giveWay(error: RequestError): void;
}

interface Stay {
  bytes: number;
  /** When something came last. */
  at: number;
}

export interface BodyBudgetOptions {
  /** Bytes of the largest body. Default `limits.requestBody`. */
  readonly maxBody?: number | undefined;
  /** Bytes of all bodies together. Default: a quarter of the heap. */
  readonly maxTotal?: number | undefined;
  /** Milliseconds. */
  readonly now: () => number;
  /** What this room has together with others. Default: it is alone. */
  readonly budget?: SharedBodyBudget | undefined;
}

/**
 * Room for what is there for moments. Where there is none, the one that began first gives way: what comes in good order is
 * gone by then, and who holds on to the room loses it. Requests above priority 0 give way after all others.
 */
class BriefBudget {
  readonly #maxTotal: number;
  /** The one that began first comes first. */
  readonly #low = new Map<HeldBody, number>();
  readonly #high = new Map<HeldBody, number>();
  bytes = 0;

  constructor(maxTotal: number) {
    this.#maxTotal = maxTotal;
  }

  /**
   * One that is alone may have as much as it needs.
   * @throws RequestError ServiceUnavailable if it is the guest itself that gives way
   */
  hold(guest: HeldBody, bytes: number): void {
    const stays = isAboveDefault(guest) ? this.#high : this.#low;
    if (!stays.has(guest)) this.release(guest);
    this.bytes += bytes - (stays.get(guest) ?? 0);
    stays.set(guest, bytes);
    while (this.bytes > this.#maxTotal && this.#low.size + this.#high.size > 1) {
      const [first] = this.#low.size > 0 ? this.#low.keys() : this.#high.keys();
      this.release(first as HeldBody);
      if (first === guest) throw budgetExhausted();
      (first as HeldBody).giveWay(budgetExhausted());
    }
  }

  release(guest: HeldBody): void {
    for (const stays of [this.#low, this.#high]) {
      this.bytes -= stays.get(guest) ?? 0;
      stays.delete(guest);
    }
  }
}

/**
 * What several rooms have together: bytes that each takes are gone for the others. A room may have as much as is free
 * besides, so that one which takes all it can get leaves half, two leave a third, and there is always some for one
 * more (Choudhury and Hahne, Dynamic Queue Length Thresholds, 1998).
 */
export class SharedBodyBudget {
  readonly maxTotal: number;
  readonly brief: BriefBudget;
  bytes = 0;

  /** @param maxTotal bytes of all bodies in all rooms. Default: a quarter of the heap */
  constructor(maxTotal: number | undefined) {
    this.maxTotal = maxTotal ?? defaultTotal();
    this.brief = new BriefBudget(this.maxTotal / 2);
  }

  get free(): number {
    return this.maxTotal - this.bytes;
  }
}

/**
 * Room for what is held until it is whole: so many bytes for each body, and so many for all of them. Small ones, up to
 * `limits.smallBody`, have half as much room again for themselves, so that large bodies do not keep them out; and a large one that
 * has stalled gives way to one that comes. A request of higher priority takes the room of the newest of the lowest priority.
 * Whole bodies of priority 0 and below leave a part to bodies that come, whose priority may be known only when they are whole.
 */
export class BodyBudget {
  readonly maxBody: number;
  readonly maxTotal: number;
  readonly #now: () => number;
  readonly #budget: SharedBodyBudget | undefined;
  readonly #brief: BriefBudget;
  /** The one that stalled for longest comes first. */
  readonly #stays = new Map<HeldBody, Stay>();
  /** Bytes of those that are whole and wait. */
  readonly #kept = new Map<HeldBody, number>();
  #bytes = 0;

  constructor({ maxBody, maxTotal, now, budget }: BodyBudgetOptions) {
    this.maxBody = maxBody ?? limits.requestBody.value;
    this.maxTotal = maxTotal ?? Math.max(defaultTotal(), 4 * this.maxBody);
    this.#now = now;
    this.#budget = budget;
    this.#brief = budget?.brief ?? new BriefBudget(this.maxTotal / 2);
  }

  /** Bytes that are taken, but by what is there for moments. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Bytes that small bodies and parts of messages take: in all rooms that share a budget. */
  get briefBytes(): number {
    return this.#brief.bytes;
  }

  /** @throws RequestError PayloadTooLarge */
  admit(bytes: number): void {
    if (bytes > this.maxBody) throw tooLarge(this.maxBody);
  }

  /**
   * A body has so many bytes now, with what else is kept of its request.
   * @throws RequestError ServiceUnavailable where there is no room
   */
  hold(guest: HeldBody, bytes: number): void {
    if (bytes <= limits.smallBody.value) {
      this.pass(guest, bytes);
      return;
    }
    this.#brief.release(guest);
    const now = this.#now();
    const more = bytes - (this.#stays.get(guest)?.bytes ?? 0);
    while (!this.#fits(more, this.maxTotal)) this.#evict(guest, now);
    this.#stays.delete(guest);
    this.#stays.set(guest, { bytes, at: now });
    this.#take(more);
  }

  /**
   * So much is there for moments, such as the part of a message that came: a small body, or an answer's.
   * @throws RequestError ServiceUnavailable where there is no room
   */
  pass(guest: HeldBody, bytes: number): void {
    this.#leave(guest);
    if (bytes <= limits.unheldRequest.value) this.#brief.release(guest);
    else this.#brief.hold(guest, bytes);
  }

  /**
   * A whole body waits for a model server: all of it needs room, and it gives way to bodies of higher priority only.
   * @throws RequestError ServiceUnavailable where there is no room
   */
  keep(guest: HeldBody, bytes: number): void {
    this.release(guest);
    const now = this.#now();
    const most = isAboveDefault(guest) ? this.maxTotal : this.maxTotal * (1 - leftToArrivals);
    while (!this.#fits(bytes, most)) this.#evict(guest, now);
    this.#kept.set(guest, bytes);
    this.#take(bytes);
  }

  release(guest: HeldBody): void {
    this.#brief.release(guest);
    this.#leave(guest);
  }

  #leave(guest: HeldBody): void {
    const stay = this.#stays.get(guest);
    if (stay !== undefined) {
      this.#take(-stay.bytes);
      this.#stays.delete(guest);
    } else if (this.#kept.size > 0) {
      this.#take(-(this.#kept.get(guest) ?? 0));
      this.#kept.delete(guest);
    }
  }

  #fits(more: number, most: number): boolean {
    const after = this.#bytes + more;
    const budget = this.#budget;
    return after <= most && (more <= 0 || budget === undefined || after <= budget.free - more);
  }

  #take(bytes: number): void {
    this.#bytes += bytes;
    if (this.#budget !== undefined) this.#budget.bytes += bytes;
  }

  #evict(guest: HeldBody, now: number): void {
    const other = this.#stalled(now) ?? this.#leastImportant(guest.priority ?? 0);
    if (other === undefined || other === guest) throw budgetExhausted();
    this.release(other);
    other.giveWay(budgetExhausted());
  }

  #stalled(now: number): HeldBody | undefined {
    const [oldest] = this.#stays;
    return oldest !== undefined && now - oldest[1].at >= limits.stalledBody.value
      ? oldest[0]
      : undefined;
  }

  /** The newest guest of the lowest priority below a given one. */
  #leastImportant(than: number): HeldBody | undefined {
    let least: HeldBody | undefined;
    let lowest = than;
    for (const guests of [this.#kept, this.#stays])
      for (const guest of guests.keys()) {
        const priority = guest.priority ?? 0;
        if (priority > lowest || priority >= than) continue;
        lowest = priority;
        least = guest;
      }
    return least;
  }
}

const isAboveDefault = ({ priority = 0 }: HeldBody) => priority > 0;

/** Part of a room that whole bodies of priority 0 and below leave to those that come. */
const leftToArrivals = 1 / 8;

/** Node.js sizes its heap by the memory of its pod. */
const defaultTotal = () => Math.floor(getHeapStatistics().heap_size_limit / 4);

export const tooLarge = (most: number) =>
  new RequestError("PayloadTooLarge", `the request body is larger than ${most} bytes`, {
    apiCode: "request_too_large",
  });

const budgetExhausted = () =>
  new RequestError(
    "ServiceUnavailable",
    "the endpoint picker's memory for request bodies is full; try again",
    { reason: "rejected-no-room-for-body" },
  );
