import { limits } from "../limits.ts";
import { Band } from "./band.ts";
import type { Capacity } from "./capacity.ts";
import { FairShares } from "./fair-shares.ts";
import type { Flow } from "./flow.ts";
import type { FlowRequest } from "./flow-request.ts";
import type { PoolCeilings, Reserve } from "./policies.ts";
import type { BandView } from "./queues-view.ts";
import type { Blocked } from "./reclaim.ts";
import type { FlowControlSettings } from "./settings.ts";
import type { Waiting } from "./waiting.ts";

/** Time after which an idle flow is forgotten with its debt, in ms. */
const flowMemory = 5 * 60_000;
/** Time after which an idle band that is not configured is forgotten, in ms. */
const bandMemory = 10 * 60_000;

/** The parts of the capacity that bands read. */
type SlotsForBands = Pick<Capacity, "size" | "hasSlotBeyond">;

/**
 * The bands of a pool. Determines which of them may dispatch, and the next request. Bands that are not configured are
 * created on demand. Idle bands of this kind and idle flows are forgotten after a time.
 */
export class Bands<Request extends FlowRequest> {
  readonly #settings: FlowControlSettings;
  readonly #ceilings: PoolCeilings;
  /** Highest priority first. */
  readonly #bands: Band<Request>[];
  #priorities: readonly number[];
  /** The ceilings as last computed. */
  #lastCeilings: ArrayLike<number> = [];
  /** The reserves as last computed. */
  #lastReserves: ReadonlyArray<Reserve | undefined> = [];
  /** Flows without requests, the longest idle one first. */
  readonly #idleFlows = new Set<Flow<Request>>();
  readonly #idleBands = new Set<Band<Request>>();
  /** Turns of the bands, if they share by weight. */
  readonly shares: FairShares<Band<Request>> | undefined;
  /** The highest band with requests that the last `next` found closed. */
  blocked: Blocked | undefined;

  constructor(settings: FlowControlSettings) {
    this.#settings = settings;
    this.#ceilings = settings.ceilings.forPool();
    this.shares = settings.bandPolicy === "weighted" ? new FairShares() : undefined;
    this.#bands = settings.bands
      .map((band) => new Band<Request>(band.priority, band, true))
      .sort((a, b) => b.priority - a.priority);
    this.#priorities = this.#bands.map(({ priority }) => priority);
  }

  /** Whether ceilings depend on how often they were computed, so that every turn counts. */
  get turnsCount(): boolean {
    return this.#ceilings.counts === true;
  }

  /** Returns the band of a priority, and creates it if it does not exist. */
  of(priority: number, now: number): Band<Request> {
    const at = this.#bands.findIndex((band) => band.priority <= priority);
    const known = this.#bands[at];
    if (known?.priority === priority) return known;
    const { defaultBand, defaultNegativeBand } = this.#settings;
    const template = priority < 0 ? defaultNegativeBand : defaultBand;
    const band = new Band<Request>(priority, template, false);
    this.#bands.splice(at === -1 ? this.#bands.length : at, 0, band);
    this.#bandsChanged();
    band.idleSince = now;
    this.#idleBands.add(band);
    return band;
  }

  /** Returns the next request to dispatch; undefined if no open band has one. */
  next(saturation: number, slots: SlotsForBands, now: number): Waiting<Request> | undefined {
    const { ceilings, open } = this.#openBands(saturation, slots);
    const bands = this.shares?.inOrder().filter((band) => this.#bands.indexOf(band) < open);
    for (const band of bands ?? this.#bands.slice(0, open)) {
      const flow = band.requests === 0 ? undefined : band.pick(now);
      if (flow !== undefined) return (flow as Flow<Request>).head;
    }
    this.blocked = this.#firstBlocked(saturation, ceilings, open);
    return undefined;
  }

  /**
   * Whether a band may dispatch: it and all higher bands are below their ceilings, with a free slot beyond their
   * reserves.
   */
  isOpen(band: Band<Request>, saturation: number, slots: SlotsForBands): boolean {
    return this.#bands.indexOf(band) < this.#openBands(saturation, slots).open;
  }

  /** Returns the band's ceiling as last computed. */
  ceilingOf(band: Band<Request>): number {
    return this.#lastCeilings[this.#bands.indexOf(band)] ?? 1;
  }

  /** Returns the slots that the band reserves for higher bands, as last computed. */
  reserveOf(band: Band<Request>): Reserve | undefined {
    return this.#lastReserves[this.#bands.indexOf(band)];
  }

  /** Called when a request of the band is dispatched. */
  dispatched({ priority }: Band<Request>): void {
    this.#ceilings.dispatched?.(priority);
  }

  /** Number of flows with queued or in-flight requests. */
  get busyFlows(): number {
    let flows = 0;
    for (const band of this.#bands) flows += band.busyFlows;
    return flows;
  }

  /** Returns the number of queued requests in the bands of a priority and above. */
  requestsFrom(priority: number): number {
    return this.#bands.reduce(
      (sum, band) => (band.priority < priority ? sum : sum + band.requests),
      0,
    );
  }

  /** Marks a flow as busy. Call it before the flow's new request is counted. */
  wake(flow: Flow<Request>): void {
    if (flow.requests + flow.inFlight > 0) return;
    flow.idleSince = undefined;
    this.#idleFlows.delete(flow);
    flow.band.busyFlows += 1;
    flow.band.idleSince = undefined;
    this.#idleBands.delete(flow.band);
  }

  /** Marks a flow as idle if it has no more requests. */
  restIfIdle(flow: Flow<Request>, now: number): void {
    if (flow.requests + flow.inFlight > 0) return;
    const { band } = flow;
    flow.idleSince = now;
    this.#idleFlows.add(flow);
    if (this.#idleFlows.size > limits.idleFlows.value) this.#forget(first(this.#idleFlows));
    band.busyFlows -= 1;
    if (band.busyFlows > 0 || band.stays) return;
    band.idleSince = now;
    this.#idleBands.add(band);
  }

  /** Forgets flows and bands that have been idle for too long. */
  collect(now: number): void {
    for (const flow of this.#idleFlows) {
      if ((flow.idleSince as number) + flowMemory > now) break;
      this.#forget(flow);
    }
    for (const band of this.#idleBands) {
      if ((band.idleSince as number) + bandMemory > now) break;
      this.#idleBands.delete(band);
      this.#bands.splice(this.#bands.indexOf(band), 1);
      this.shares?.forget(band);
      this.#bandsChanged();
    }
  }

  /** Returns the time at which `collect` has something to forget; infinite if it has nothing. */
  nextDeadline(): number {
    const [flow] = this.#idleFlows;
    const [band] = this.#idleBands;
    return Math.min(
      flow === undefined ? Number.POSITIVE_INFINITY : (flow.idleSince as number) + flowMemory,
      band === undefined ? Number.POSITIVE_INFINITY : (band.idleSince as number) + bandMemory,
    );
  }

  view(now: number): readonly BandView[] {
    return this.#bands.map((band) => ({
      priority: band.priority,
      requests: band.requests,
      bytes: band.bytes,
      maxRequests: band.maxRequests,
      maxBytes: band.maxBytes,
      flows: [...band.flows.values()].map((flow) => ({
        id: flow.id,
        requests: flow.requests,
        bytes: flow.bytes,
        inFlight: flow.inFlight,
        headWaitsFor: flow.head === undefined ? undefined : now - flow.head.arrivedAt,
      })),
    }));
  }

  /** Computes the ceilings, and how many bands may dispatch: the highest ones. */
  #openBands(
    saturation: number,
    slots: SlotsForBands,
  ): { ceilings: ArrayLike<number>; open: number } {
    const pool = slots.size();
    const ceilings = this.#ceilings.ceilings(saturation, this.#priorities, pool);
    const reserves = this.#ceilings.reserves?.(this.#priorities, pool) ?? [];
    this.#lastCeilings = ceilings;
    this.#lastReserves = reserves;
    const closed = this.#bands.findIndex((_, at) => {
      const reserve = reserves[at];
      return (
        saturation >= (ceilings[at] ?? 1) ||
        (reserve !== undefined && slots.hasSlotBeyond?.(reserve) === false)
      );
    });
    return { ceilings, open: closed === -1 ? this.#bands.length : closed };
  }

  /**
   * Returns the highest closed band with requests. A ceiling of 0 forbids dispatch even with free capacity: it is
   * ignored.
   */
  #firstBlocked(saturation: number, ceilings: ArrayLike<number>, from: number) {
    for (const [at, { priority, requests }] of this.#bands.entries()) {
      const ceiling = ceilings[at] ?? 1;
      if (at >= from && requests > 0 && ceiling > 0 && saturation >= ceiling)
        return { priority, saturation, ceiling };
    }
    return undefined;
  }

  #bandsChanged(): void {
    this.#priorities = this.#bands.map(({ priority }) => priority);
  }

  #forget(flow: Flow<Request>): void {
    this.#idleFlows.delete(flow);
    flow.band.forget(flow);
  }
}

const first = <Item>(items: ReadonlySet<Item>): Item => items.values().next().value as Item;
