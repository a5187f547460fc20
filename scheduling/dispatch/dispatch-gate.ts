import type { Endpoint, LiveState } from "../endpoint.ts";
import type { Capacity } from "../flow-control/capacity.ts";
import type { FlowRequest } from "../flow-control/flow-request.ts";
import type { PoolSize, Reserve } from "../flow-control/policies.ts";
import { constants } from "../load-constants.ts";
import { textKey } from "../rendezvous.ts";
import { isForStage } from "../roles.ts";
import type { SaturationDetector } from "../saturation.ts";
import { endpointLoad, tokensAhead } from "../server-model/endpoint-load.ts";
import type { ServerModel, ServerModels } from "../server-model/server-models.ts";
import { type Holdback, slotsBeyondHoldback } from "./holdback.ts";
import { type PoolSnapshot, takePoolSnapshot } from "./pool-snapshot.ts";
import { isLost, type Server, serverWork, slotsOf } from "./server.ts";
import type { Moment } from "./wait-for-cheaper.ts";

/** A request that can be sent to a model server. */
export interface SendableRequest extends FlowRequest {
  /** Sends the request to one of `endpoints`. Returns false if none of them can serve it but other endpoints can. */
  sendTo(endpoints: readonly Endpoint[]): boolean;
  /** Whether the request waits because its prompt would evict prefixes that will be used again. Default: never. */
  isHeld?(endpoints: readonly Endpoint[], now: number, timeToLive: number): boolean;
  /** Whether the request should wait for a cheaper endpoint instead of taking a slot of `free`. Default: never. */
  shouldWait?(all: readonly Endpoint[], free: readonly Endpoint[], moment: Moment): boolean;
}

export interface DispatchGateOptions {
  /** Time for which requests may wait, in ms. Default: none waits for the working set of the caches. */
  readonly timeToLive?: number;
  readonly detector: SaturationDetector;
  readonly servers: ServerModels;
  readonly now: () => number;
}

/** The servers that can compute a prompt. */
interface PrefillSlots {
  /** Servers that have a free slot or will have one soon. */
  readonly able: readonly Endpoint[];
  readonly free: readonly Endpoint[];
  /** Time until each server of `able` has a free slot, in ms; 0 if it has one or the time is unknown. */
  readonly until: ReadonlyMap<Endpoint, number>;
}

/** The slots that a request may use: all of them, or all beyond the reserve for higher bands. */
interface AvailableSlots {
  /** The snapshot that they were computed from. */
  readonly of: PoolSnapshot;
  readonly reserve: Reserve | undefined;
  readonly held: Holdback;
  readonly free: readonly Endpoint[];
  /** Whether each stage has a free endpoint. */
  readonly hasFree: boolean;
  prompts?: PrefillSlots;
}

const none: Holdback = new Map();

/**
 * Decides which of a pool's model servers can take a request now. A request is sent only to a server with a free slot,
 * so requests wait in the picker, where flow control orders them, and not at the servers. A server that the saturation
 * detector reports as full gets no requests either.
 *
 * The number of slots is the limit that the server's metrics report. If they report none, it is the estimated
 * concurrency, whose first value is the fewest slots of another server or the limit configured in the detector,
 * whichever is lower. The configured limit also applies as a maximum. A server with stale or missing metrics counts as
 * neither idle nor full: its load is the number of requests sent there. A lost server gets no requests, unless all
 * servers are lost.
 */
export class DispatchGate<Request extends SendableRequest> implements Capacity<Request> {
  readonly #detector: SaturationDetector;
  readonly #models: ServerModels;
  readonly #now: () => number;
  readonly #timeToLive: number;
  /** The endpoints that compute prompts. */
  #computing: readonly Endpoint[] = [];
  #pickers = 1;
  #endpoints: readonly Endpoint[] = [];
  #modelOf: ReadonlyMap<LiveState, ServerModel> = new Map();
  #servers: readonly Server[] = [];
  #view: PoolSnapshot | undefined;
  /** Several flows compete for slots. */
  #isShared = false;
  /** The picker has seen a first token, so it sees when prompts are computed. */
  #seesAnswers = false;
  /** The servers in an order that is the same in all pickers. */
  #inOrder: readonly Server[] = [];
  #slots: AvailableSlots | undefined;
  /** The servers held back for higher bands when a request with a reserve was last considered. */
  #held: Holdback = none;
  #lastFree: readonly Endpoint[] = [];
  #lastBeyond: readonly Endpoint[] = [];
  /** Cached result of `#fewestSeen`; undefined if a limit may have changed. */
  #fewest: number | undefined;
  /** No slot was free when one was last requested. */
  #isShort = false;
  /** Saturation of the pool at the last snapshot; 1 is full. */
  lastSaturation = 0;

  constructor({ detector, servers, now, timeToLive = 0 }: DispatchGateOptions) {
    this.#timeToLive = timeToLive;
    this.#detector = detector;
    this.#models = servers;
    this.#now = now;
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
    this.#view = undefined;
  }

  /** Replaces the pool's endpoints. */
  use(endpoints: readonly Endpoint[]): void {
    // A new server most likely has as many slots as the others.
    const others = this.#servers.map(({ model }) => model.slots.count);
    const least = Math.min(...others, this.#detector.slots ?? Number.POSITIVE_INFINITY);
    const first = Number.isFinite(least) ? least : constants.firstSlots;
    const hasPrefillers = endpoints.some(({ labels }) => isForStage(labels, "prefill"));
    this.#endpoints = endpoints;
    this.#servers = endpoints.map((endpoint) => {
      const { live, labels } = endpoint;
      const model = this.#models.of(live);
      model.join(first, this.#now());
      const [prefills, decodes] = [isForStage(labels, "prefill"), isForStage(labels, "decode")];
      const computesPrompts = prefills || !hasPrefillers;
      return { model, endpoint, prefills, decodes, computesPrompts, full: undefined };
    });
    this.#computing = this.#servers
      .filter(({ computesPrompts }) => computesPrompts)
      .map(({ endpoint }) => endpoint);
    this.#modelOf = new Map(this.#servers.map(({ model }) => [model.live, model]));
    this.#inOrder = this.#servers
      .map((server) => ({ server, key: textKey(server.endpoint.id) }))
      .sort((a, b) => a.key - b.key)
      .map(({ server }) => server);
    this.#fewest = undefined;
    this.#view = undefined;
  }

  /**
   * Updates the slots of an endpoint from its metrics, which were just read.
   * @param ejected share of the slots that queued requests must leave unused
   */
  learn(endpoint: Endpoint, ejected = 0): void {
    const { live } = endpoint;
    const model = this.#modelOf.get(live);
    if (live.metrics?.reportsRequests && model !== undefined) {
      const { slots } = model;
      const { limit } = slots;
      // Slots that are held back stay unused, so the limit of this server cannot be learned from them.
      const usable = this.#held.get(endpoint);
      const othersLimit = this.#fewestSeen();
      if (usable !== undefined && othersLimit < Number.POSITIVE_INFINITY) slots.expect(othersLimit);
      const work = serverWork(model, live.metrics, {
        ...{ pickers: this.#pickers, othersLimit, isWanted: this.#isShort },
        usable: Math.min(usable || 1, 1 - ejected),
      });
      slots.read(live.metrics, work);
      if (slots.limit !== limit) this.#fewest = undefined;
    }
    this.#view = undefined;
  }

  /** The lowest known concurrency limit of all servers; infinite if none is known. */
  #fewestSeen(): number {
    this.#fewest ??= this.#servers.reduce(
      (fewest, { model }) => Math.min(fewest, model.slots.limit),
      Number.POSITIVE_INFINITY,
    );
    return this.#fewest;
  }

  /** Discards the snapshot, because loads have changed. */
  changed(): void {
    this.#view = undefined;
  }

  saturation(): number {
    return this.view().saturation.effective;
  }

  size(): PoolSize {
    return this.view();
  }

  freeSlots(flows = 1): number {
    const isShared = flows > 1;
    if (isShared !== this.#isShared) this.#view = undefined;
    this.#isShared = isShared;
    const { hasFree, free } = this.view();
    this.#isShort = !hasFree;
    return hasFree ? free.length : 0;
  }

  hasSlotBeyond(reserve: Reserve): boolean {
    const { hasFree } = this.#slotsBeyond(reserve);
    this.#isShort ||= !hasFree;
    return hasFree;
  }

  take(request: Request, reserve?: Reserve): boolean {
    const slots = this.#slotsBeyond(reserve);
    const { free } = slots;
    const now = this.#now();
    if (this.#isHeld(request, now)) return false;
    if (free.length < this.#endpoints.length && request.shouldWait !== undefined) {
      const { able, free, until } = this.#prefillSlots(slots, now);
      if (request.shouldWait(able, free, { now, msPerToken: this.msPerToken, until })) return false;
    }
    this.#view = undefined;
    if (request.sendTo(free)) return true;
    // A request that only the servers held back can serve would otherwise wait forever.
    return reserve !== undefined && request.sendTo(this.view().free);
  }

  /**
   * Whether a request waits because its prompt would evict prefixes that will be used again, and to compute them again
   * would add to the work of servers that are busy with prompts.
   */
  #isHeld(request: Request, now: number): boolean {
    const servers = this.#computing;
    if (request.isHeld === undefined || servers.length === 0) return false;
    const tokens = servers.reduce((sum, { live }) => sum + tokensAhead(live), request.promptTokens);
    const backlogMs = (tokens * this.msPerToken) / servers.length;
    return backlogMs >= constants.recheckMs && request.isHeld(servers, now, this.#timeToLive);
  }

  /** Time in which a server of the pool computes a prompt token, in ms. */
  get msPerToken(): number {
    return this.#models.speeds.msPerToken;
  }

  /** Returns the slots beyond a reserve. They are computed once per snapshot and reserve. */
  #slotsBeyond(reserve: Reserve | undefined): AvailableSlots {
    const view = this.view();
    const last = this.#slots;
    const isSame = reserve?.used === last?.reserve?.used && reserve?.free === last?.reserve?.free;
    if (last !== undefined && last.of === view && isSame) return last;
    const { free, hasFree } = view;
    const all = { of: view, reserve, held: none, free, hasFree };
    this.#slots = reserve === undefined ? all : { ...all, ...this.#beyond(reserve, view) };
    return this.#slots;
  }

  #beyond(reserve: Reserve, { free: all }: PoolSnapshot) {
    const { held, free, hasFree } = slotsBeyondHoldback(reserve, this.#inOrder, all);
    this.#held = held;
    this.#lastBeyond = sameList(this.#lastBeyond, free);
    return { held, free: held.size === 0 ? all : this.#lastBeyond, hasFree };
  }

  /**
   * Returns the servers that compute prompts, with the time until each has a free slot. Servers that are down, lost or
   * held back are excluded. The result is computed once per snapshot and reserve.
   */
  #prefillSlots(slots: AvailableSlots, now: number): PrefillSlots {
    if (slots.prompts === undefined) {
      const has = new Set(slots.free);
      const until = new Map<Endpoint, number>();
      for (const server of this.#servers) {
        const { endpoint, computesPrompts } = server;
        if (!computesPrompts) continue;
        const isGone = endpoint.live.isDown || isLost(server, this.#models.health, now);
        if (has.has(endpoint)) until.set(endpoint, 0);
        else if (!(isGone || slots.held.has(endpoint)))
          until.set(endpoint, endpoint.live.msUntilSlot);
      }
      const able = [...until.keys()];
      slots.prompts = { able, free: able.filter((each) => has.has(each)), until };
    }
    return slots.prompts;
  }

  /** Number of requests at an endpoint. */
  loadOf({ live }: Endpoint): number {
    return endpointLoad(live);
  }

  /** Number of slots of an endpoint; undefined if it is not in the pool. */
  slotsOf({ live }: Endpoint): number | undefined {
    const model = this.#modelOf.get(live);
    return model && slotsOf(model);
  }

  /**
   * Whether the limit of an endpoint is known: it is configured, the endpoint reports it, or requests have waited there.
   */
  isLimitKnown({ live }: Endpoint): boolean {
    const reported = this.#detector.slots ?? live.metrics?.maxRunningRequests;
    return Number.isFinite(reported ?? this.#modelOf.get(live)?.slots.limit);
  }

  /** Returns the state of the pool. The snapshot is kept until a load, a reading or an endpoint changes. */
  view(): PoolSnapshot {
    this.#view ??= this.#takeSnapshot();
    return this.#view;
  }

  #takeSnapshot(): PoolSnapshot {
    this.#seesAnswers ||= this.#servers.some(({ endpoint }) => endpoint.live.firstTokens > 0);
    const now = this.#now();
    const snapshot = takePoolSnapshot(this.#servers, {
      detector: this.#detector,
      health: this.#models.health,
      fit: this.#models.health.fit(this.#endpoints, undefined, now),
      now,
      pickers: this.#pickers,
      sparesBusy: this.#isShared && this.#seesAnswers,
    });
    this.lastSaturation = snapshot.saturation.effective;
    return { ...snapshot, free: this.#sameFree(snapshot.free) };
  }

  /**
   * Returns the previous list if the same endpoints are free, so that a request that failed on this list is not tried
   * there again.
   */
  #sameFree(free: readonly Endpoint[]): readonly Endpoint[] {
    if (free.length === this.#endpoints.length) return this.#endpoints;
    this.#lastFree = sameList(this.#lastFree, free);
    return this.#lastFree;
  }
}

const sameList = (last: readonly Endpoint[], now: readonly Endpoint[]): readonly Endpoint[] =>
  now.length === last.length && now.every((endpoint, at) => endpoint === last[at]) ? last : now;
