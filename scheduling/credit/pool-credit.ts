import type { Endpoint, LiveState } from "../endpoint.ts";
import type { Capacity } from "../flow-control/capacity.ts";
import type { FlowRequest } from "../flow-control/flow-request.ts";
import { isForStage } from "../roles.ts";
import type { SaturationDetector } from "../saturation.ts";
import { endpointLoad } from "./endpoint-load.ts";
import { firstSlots, LearntSlots } from "./learnt-slots.ts";

/** A request that can be sent to a model server. */
export interface SendableRequest extends FlowRequest {
  /** Sends it to one of some endpoints. Returns false where it may go to none of them, although it may go to others. */
  sendTo(endpoints: readonly Endpoint[]): boolean;
}

/** How full a pool is: 1 is full. */
export interface PoolSaturation {
  /** The fuller of both stages. */
  readonly effective: number;
  /** How full the model servers are that prefill by their label; undefined where none does. */
  readonly prefill: number | undefined;
  /** How full those are that decode; undefined where none does. */
  readonly decode: number | undefined;
}

/** What is known of a pool at a moment. */
export interface PoolCreditView {
  readonly saturation: PoolSaturation;
  /** Endpoints that take another request. */
  readonly free: readonly Endpoint[];
  /** Whether each stage has a free one. */
  readonly hasFree: boolean;
  /** Endpoints of which nothing new is known. */
  readonly stale: number;
  /** Requests that the endpoints have, and for which they have slots. */
  readonly load: number;
  readonly slots: number;
}

export interface PoolCreditOptions {
  readonly detector: SaturationDetector;
  readonly now: () => number;
  /** Pickers that send to the same endpoints: each spends its equal part of the slots. Default 1. */
  readonly pickers?: number;
}

/** Slots of a server that has not told how many requests it has, as concurrency-detector has by default. */
const untoldSlots = 100;

/** An endpoint with what stays of it from one look to the next. */
interface Server {
  readonly endpoint: Endpoint;
  readonly slots: LearntSlots;
  readonly prefills: boolean;
  readonly decodes: boolean;
}

/**
 * The places that a pool's model servers have for requests. A server has as many slots as it was seen to work on at once, and
 * a request goes only to one with a free slot: so requests wait here, by the rules of flow control, and not there. A server
 * that the detector calls full gets none either. A server whose metrics are old gets none, unless there is no other.
 */
export class PoolCredit<Request extends SendableRequest> implements Capacity<Request> {
  readonly #detector: SaturationDetector;
  readonly #now: () => number;
  readonly #pickers: number;
  #endpoints: readonly Endpoint[] = [];
  #servers: readonly Server[] = [];
  readonly #slots = new Map<LiveState, LearntSlots>();
  #view: PoolCreditView | undefined;
  #lastFree: readonly Endpoint[] = [];

  constructor({ detector, now, pickers = 1 }: PoolCreditOptions) {
    this.#detector = detector;
    this.#now = now;
    this.#pickers = pickers;
  }

  /** Takes the pool's endpoints in place of those before. */
  use(endpoints: readonly Endpoint[]): void {
    const gone = new Set(this.#slots.keys());
    // A server that joins is most likely as large as the others.
    const others = [...this.#slots.values()].map(({ count }) => count);
    const first = Math.min(...others, this.#detector.slots ?? Number.POSITIVE_INFINITY);
    this.#endpoints = endpoints;
    this.#servers = endpoints.map((endpoint) => {
      const { live, labels } = endpoint;
      gone.delete(live);
      const slots =
        this.#slots.get(live) ?? new LearntSlots(Number.isFinite(first) ? first : firstSlots);
      this.#slots.set(live, slots);
      const [prefills, decodes] = [isForStage(labels, "prefill"), isForStage(labels, "decode")];
      return { endpoint, slots, prefills, decodes };
    });
    for (const live of gone) this.#slots.delete(live);
    this.#view = undefined;
  }

  /** Learns from an endpoint's metrics, which were just read. */
  learn({ live }: Endpoint): void {
    if (live.metrics?.tellsRequests) this.#slots.get(live)?.read(live.metrics, endpointLoad(live));
    this.#view = undefined;
  }

  /** Forgets what it saw: loads have changed. */
  changed(): void {
    this.#view = undefined;
  }

  saturation(): number {
    return this.view().saturation.effective;
  }

  freeSlots(): number {
    const { hasFree, free } = this.view();
    return hasFree ? free.length : 0;
  }

  take(request: Request): boolean {
    const { free } = this.view();
    this.#view = undefined;
    return request.sendTo(free);
  }

  /** Requests that an endpoint has. */
  loadOf({ live }: Endpoint): number {
    return endpointLoad(live);
  }

  /** Slots of an endpoint; undefined where it is none of the pool's. */
  slotsOf({ live }: Endpoint): number | undefined {
    return this.#slots.get(live)?.count;
  }

  view(): PoolCreditView {
    this.#view ??= this.#look();
    return this.#view;
  }

  #look(): PoolCreditView {
    const now = this.#now();
    const detector = this.#detector;
    const isStale = (endpoint: Endpoint) => detector.isStale?.(endpoint, now) === true;
    let stale = 0;
    for (const { endpoint } of this.#servers) if (isStale(endpoint)) stale += 1;
    const allStale = stale === this.#servers.length;
    const stages = { prefill: new StageLook(), decode: new StageLook() };
    const free: Endpoint[] = [];
    let [allLoad, allSlots] = [0, 0];
    for (const { endpoint, slots, prefills, decodes } of this.#servers) {
      if (!allStale && isStale(endpoint)) continue;
      const { live } = endpoint;
      const most = live.metrics?.tellsRequests === true ? slots.count : untoldSlots;
      const load = endpointLoad(live);
      const full = Math.max(
        load / most,
        live.runningRequests / Math.ceil(most / this.#pickers),
        allStale ? 0 : detector.saturation(endpoint, now),
        // Nobody listens there.
        live.isDown ? 1 : 0,
      );
      allLoad += load;
      allSlots += most;
      if (prefills) stages.prefill.add(full);
      if (decodes) stages.decode.add(full);
      if (full < 1) free.push(endpoint);
    }
    const prefill = stages.prefill.saturation;
    const decode = stages.decode.saturation;
    const effective = this.#servers.length === 0 ? 1 : Math.max(prefill ?? 0, decode ?? 0);
    return {
      saturation: { effective, prefill, decode },
      free: this.#sameFree(free),
      hasFree: free.length > 0 && stages.prefill.hasFree && stages.decode.hasFree,
      stale,
      load: allLoad,
      slots: allSlots,
    };
  }

  /** The same list as long as the same endpoints are free: who was not sent to one of them knows it again. */
  #sameFree(free: readonly Endpoint[]): readonly Endpoint[] {
    if (free.length === this.#endpoints.length) return this.#endpoints;
    const last = this.#lastFree;
    if (free.length !== last.length || free.some((endpoint, at) => endpoint !== last[at]))
      this.#lastFree = free;
    return this.#lastFree;
  }
}

/** The model servers of one stage. */
class StageLook {
  #servers = 0;
  #sum = 0;
  #free = 0;

  add(full: number): void {
    this.#servers += 1;
    this.#sum += Math.min(1, full);
    if (full < 1) this.#free += 1;
  }

  get saturation(): number | undefined {
    return this.#servers === 0 ? undefined : this.#sum / this.#servers;
  }

  /** A stage without model servers stops nobody. */
  get hasFree(): boolean {
    return this.#servers === 0 || this.#free > 0;
  }
}
