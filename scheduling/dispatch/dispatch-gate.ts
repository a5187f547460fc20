import type { Endpoint } from "../endpoints/endpoint.ts";
import type { SaturationDetector } from "../endpoints/saturation.ts";
import type { Capacity } from "../flow-control/capacity.ts";
import type { FlowRequest } from "../flow-control/flow-request.ts";
import type { PoolSize, Reserve } from "../flow-control/policies.ts";
import { constants } from "../load-constants.ts";
import { tokensAhead } from "../server-model/endpoint-load.ts";
import type { ServerModels } from "../server-model/server-models.ts";
import { AvailableSlots, LastList } from "./available-slots.ts";
import { type Holdback, noHoldback } from "./holdback.ts";
import { Pool } from "./pool.ts";
import { type PoolSnapshot, takePoolSnapshot } from "./pool-snapshot.ts";
import { serverWork, slotsOf } from "./server.ts";
import type { Moment } from "./wait-for-cheaper.ts";

/** A request that can be sent to a model server. */
export interface SendableRequest extends FlowRequest {
  /**
   * Sends the request to one of `endpoints`. Returns false if no endpoint in `endpoints` can serve the request, but
   * another endpoint can.
   */
  sendTo(endpoints: readonly Endpoint[]): boolean;
  /** Whether the request waits because its prompt would evict prefixes that will be used again. Default: never. */
  isHeld?(endpoints: readonly Endpoint[], now: number, timeToLive: number): boolean;
  /** Whether the request should wait for a cheaper endpoint instead of taking a slot of `free`. Default: never. */
  shouldWait?(all: readonly Endpoint[], free: readonly Endpoint[], moment: Moment): boolean;
}

export interface DispatchGateOptions {
  /** Time for which requests may wait, in ms. Default: no request waits for the working set of the caches. */
  readonly timeToLive?: number;
  readonly detector: SaturationDetector;
  readonly servers: ServerModels;
  readonly now: () => number;
}

/**
 * Decides which of a pool's model servers can take a request now. A request is sent only to a server with a free slot,
 * so requests wait in the picker, where flow control orders them, and not at the servers. A server that the saturation
 * detector reports as full gets no requests either.
 *
 * The number of slots is the limit that the server's metrics report. If they report no limit, it is the estimated
 * concurrency, whose first value is the fewest slots of another server or the limit configured in the detector,
 * whichever is lower. The configured limit also applies as a maximum. A server with stale or missing metrics counts as
 * neither idle nor full: its load is the number of requests sent there. A lost server gets no requests, unless all
 * servers are lost.
 */
export class DispatchGate<Request extends SendableRequest> implements Capacity<Request> {
  readonly #options: DispatchGateOptions;
  readonly #free = new LastList();
  readonly #freeBeyond = new LastList();
  #pickers = 1;
  #pool: Pool;
  /** The slots since the last change; undefined until they are needed. */
  #slots: AvailableSlots | undefined;
  /** Several flows compete for slots. */
  #isShared = false;
  /** The picker has seen a first token, so it sees when prompts are computed. */
  #seesAnswers = false;
  /** The servers held back for higher bands when a request with a reserve was last considered. */
  #held: Holdback = noHoldback;
  /** No slot was free when one was last requested. */
  #isShort = false;
  /** Saturation of the pool at the last snapshot; 1 is full. */
  lastSaturation = 0;

  constructor(options: DispatchGateOptions) {
    this.#options = options;
    this.#pool = new Pool([], options.servers);
  }

  /** Number of pickers that send to the endpoints, including this one. */
  get pickers(): number {
    return this.#pickers;
  }

  /**
   * Sets the number of pickers that send to the same endpoints, at least 1. Each of them uses its part of the slots.
   */
  share(pickers: number): void {
    this.#pickers = pickers;
    this.#slots = undefined;
  }

  /** Replaces the pool's endpoints. */
  use(endpoints: readonly Endpoint[]): void {
    const { detector, servers, now } = this.#options;
    // A new server most likely has as many slots as the others.
    const others = this.#pool.servers.map(({ model }) => model.slots.count);
    const least = Math.min(...others, detector.slots ?? Number.POSITIVE_INFINITY);
    const first = Number.isFinite(least) ? least : constants.firstSlots;
    this.#pool = new Pool(endpoints, servers);
    for (const { model } of this.#pool.servers) model.join(first, now());
    this.#slots = undefined;
  }

  /**
   * Updates the slots of an endpoint from its metrics, which were just read.
   * @param ejected share of the slots that queued requests must leave unused
   */
  learn(endpoint: Endpoint, ejected = 0): void {
    const { metrics } = endpoint.live;
    const model = this.#pool.modelOf(endpoint);
    if (metrics?.reportsRequests && model !== undefined) {
      const { slots } = model;
      // Slots that are held back stay unused, so the limit of this server cannot be learned from them.
      const usable = this.#held.get(endpoint);
      const othersLimit = this.#pool.fewestSlots;
      if (usable !== undefined && othersLimit < Number.POSITIVE_INFINITY) slots.expect(othersLimit);
      const work = serverWork(model, metrics, {
        ...{ pickers: this.#pickers, othersLimit, isWanted: this.#isShort },
        usable: Math.min(usable || 1, 1 - ejected),
      });
      this.#pool.learn(model, metrics, work);
    }
    this.#slots = undefined;
  }

  /** Discards the snapshot, because loads have changed. */
  changed(): void {
    this.#slots = undefined;
  }

  saturation(): number {
    return this.view().saturation.effective;
  }

  size(): PoolSize {
    return this.view();
  }

  freeSlots(flows = 1): number {
    const isShared = flows > 1;
    if (isShared !== this.#isShared) this.#slots = undefined;
    this.#isShared = isShared;
    const { hasFree, free } = this.view();
    this.#isShort = !hasFree;
    return hasFree ? free.length : 0;
  }

  hasSlotBeyond(reserve: Reserve): boolean {
    const { hasFree } = this.#slotsBeyond(reserve).snapshot;
    this.#isShort ||= !hasFree;
    return hasFree;
  }

  take(request: Request, reserve?: Reserve): boolean {
    const slots = this.#slotsBeyond(reserve);
    const { free } = slots.snapshot;
    const now = this.#options.now();
    if (this.#isHeld(request, now)) return false;
    if (free.length < this.#pool.endpoints.length && request.shouldWait !== undefined) {
      const { able, free, until } = slots.prefill(this.#options.servers.health, now);
      if (request.shouldWait(able, free, { now, msPerToken: this.msPerToken, until })) return false;
    }
    this.#slots = undefined;
    if (request.sendTo(free)) return true;
    // A request would otherwise wait forever if the servers that are held back are the only ones that can serve it.
    return reserve !== undefined && request.sendTo(this.view().free);
  }

  /**
   * Whether a request waits because its prompt would evict prefixes that will be used again, and to compute them again
   * would add to the work of servers that are busy with prompts.
   */
  #isHeld(request: Request, now: number): boolean {
    const servers = this.#pool.computing;
    if (request.isHeld === undefined || servers.length === 0) return false;
    const tokens = servers.reduce((sum, { live }) => sum + tokensAhead(live), request.promptTokens);
    const backlogMs = (tokens * this.msPerToken) / servers.length;
    const { timeToLive = 0 } = this.#options;
    return backlogMs >= constants.recheckMs && request.isHeld(servers, now, timeToLive);
  }

  /** Time in which a server of the pool computes a prompt token, in ms. */
  get msPerToken(): number {
    return this.#options.servers.speeds.msPerToken;
  }

  #slotsBeyond(reserve: Reserve | undefined): AvailableSlots {
    const all = this.#current();
    if (reserve === undefined) return all;
    const slots = all.beyond(reserve, this.#freeBeyond);
    this.#held = slots.held;
    return slots;
  }

  /** Number of slots of an endpoint; undefined if it is not in the pool. */
  slotsOf(endpoint: Endpoint): number | undefined {
    const model = this.#pool.modelOf(endpoint);
    return model && slotsOf(model);
  }

  /**
   * Whether the limit of an endpoint is known: it is configured, the endpoint reports it, or requests have waited there.
   */
  isLimitKnown(endpoint: Endpoint): boolean {
    const reported = this.#options.detector.slots ?? endpoint.live.metrics?.maxRunningRequests;
    return Number.isFinite(reported ?? this.#pool.modelOf(endpoint)?.slots.limit);
  }

  /** Returns the state of the pool. The snapshot is kept until a load, a reading or an endpoint changes. */
  view(): PoolSnapshot {
    return this.#current().snapshot;
  }

  #current(): AvailableSlots {
    this.#slots ??= this.#takeSlots();
    return this.#slots;
  }

  #takeSlots(): AvailableSlots {
    const { detector, servers, now } = this.#options;
    const { endpoints } = this.#pool;
    this.#seesAnswers ||= endpoints.some(({ live }) => live.firstTokens > 0);
    const snapshot = takePoolSnapshot(this.#pool, {
      detector,
      health: servers.health,
      now: now(),
      pickers: this.#pickers,
      sparesBusy: this.#isShared && this.#seesAnswers,
    });
    this.lastSaturation = snapshot.saturation.effective;
    const isAll = snapshot.free.length === endpoints.length;
    const free = isAll ? endpoints : this.#free.same(snapshot.free);
    return new AvailableSlots(this.#pool, { ...snapshot, free });
  }
}
