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

/** Milliseconds after which an idle flow is forgotten, with what it owes. */
const flowMemory = 5 * 60_000;
/** The same for a band that is not configured. */
const bandMemory = 10 * 60_000;

/** What bands ask of the capacity. */
type SlotsForBands = Pick<Capacity, "size" | "hasSlotBeyond">;

/**
 * The bands of a pool: which of them may dispatch, and which request goes next. Those that are not configured are made when
 * they are asked for; they and their flows are forgotten when they have been idle for long.
 */
export class Bands<Request extends FlowRequest> {
  readonly #settings: FlowControlSettings;
  readonly #ceilings: PoolCeilings;
  /** The highest priority first. */
  readonly #bands: Band<Request>[];
  #priorities: readonly number[];
  /** Ceilings of the bands at the last look. */
  #lastCeilings: ArrayLike<number> = [];
  /** What they left to higher ones then. */
  #lastReserves: ReadonlyArray<Reserve | undefined> = [];
  /** Flows without requests, the one that is so for longest first. */
  readonly #idleFlows = new Set<Flow<Request>>();
  readonly #idleBands = new Set<Band<Request>>();
  /** Turns of the bands where they share by weight. */
  readonly shares: FairShares<Band<Request>> | undefined;
  /** The highest band that has requests and was found closed by the last `next`. */
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

  /** Ceilings follow from what was asked of them before: each turn counts. */
  get turnsCount(): boolean {
    return this.#ceilings.counts === true;
  }

  /** The band of a priority: its own, made where there is none. */
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

  /** The request that goes next; undefined where bands are empty or closed. */
  next(saturation: number, slots: SlotsForBands, now: number): Waiting<Request> | undefined {
    const { ceilings, open } = this.#look(saturation, slots);
    const bands = this.shares?.inOrder().filter((band) => this.#bands.indexOf(band) < open);
    for (const band of bands ?? this.#bands.slice(0, open)) {
      const flow = band.requests === 0 ? undefined : band.fairness.pick(now);
      if (flow !== undefined) return (flow as Flow<Request>).head;
    }
    this.blocked = this.#firstBlocked(saturation, ceilings, open);
    return undefined;
  }

  /** Whether a band may dispatch: neither it nor a higher one has reached its ceiling, and there is a place beyond its reserve. */
  isOpen(band: Band<Request>, saturation: number, slots: SlotsForBands): boolean {
    return this.#bands.indexOf(band) < this.#look(saturation, slots).open;
  }

  /** The band's ceiling at the last look. */
  ceilingOf(band: Band<Request>): number {
    return this.#lastCeilings[this.#bands.indexOf(band)] ?? 1;
  }

  /** What the band left to higher ones at the last look. */
  reserveOf(band: Band<Request>): Reserve | undefined {
    return this.#lastReserves[this.#bands.indexOf(band)];
  }

  /** A request of a band goes to a model server. */
  dispatched({ priority }: Band<Request>): void {
    this.#ceilings.dispatched?.(priority);
  }

  /** Flows that have a request, waiting or on its way. */
  get busyFlows(): number {
    let flows = 0;
    for (const band of this.#bands) flows += band.busyFlows;
    return flows;
  }

  /** Requests that wait in the bands of a priority and above. */
  requestsFrom(priority: number): number {
    return this.#bands.reduce(
      (sum, band) => (band.priority < priority ? sum : sum + band.requests),
      0,
    );
  }

  /** A flow gets a request: call it before it is counted. */
  wake(flow: Flow<Request>): void {
    if (flow.requests + flow.inFlight > 0) return;
    flow.idleSince = undefined;
    this.#idleFlows.delete(flow);
    flow.band.busyFlows += 1;
    flow.band.idleSince = undefined;
    this.#idleBands.delete(flow.band);
  }

  /** A flow has a request less. */
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

  /** Forgets what has been idle for long. */
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

  /** When `collect` has something to do next; infinite where it has not. */
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

  /** Returns the ceilings, and how many bands may dispatch: the highest ones. */
  #look(saturation: number, slots: SlotsForBands): { ceilings: ArrayLike<number>; open: number } {
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

  /** A ceiling of 0 says that a band must not dispatch, however much room there is. */
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
