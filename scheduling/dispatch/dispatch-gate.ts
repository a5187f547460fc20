import type { Endpoint, LiveState } from "../endpoint.ts";
import type { Capacity } from "../flow-control/capacity.ts";
import type { FlowRequest } from "../flow-control/flow-request.ts";
import type { PoolSize, Reserve } from "../flow-control/policies.ts";
import { constants } from "../load-constants.ts";
import { textKey } from "../rendezvous.ts";
import { isForStage } from "../roles.ts";
import type { SaturationDetector } from "../saturation.ts";
import { endpointLoad } from "../server-model/endpoint-load.ts";
import type { ServerModel, ServerModels } from "../server-model/server-models.ts";
import { type Holdback, slotsBeyondHoldback } from "./holdback.ts";
import { type PoolSnapshot, takePoolSnapshot } from "./pool-snapshot.ts";
import { isLost, type Server, serverWork, slotsOf } from "./server.ts";
import type { Moment } from "./wait-for-cheaper.ts";

/** A request that can be sent to a model server. */
export interface SendableRequest extends FlowRequest {
  /** Sends it to one of some endpoints. Returns false where it may go to none of them, although it may go to others. */
  sendTo(endpoints: readonly Endpoint[]): boolean;
  /** Whether it leaves the places of `free` to others for now, to have one of the other endpoints. Default: never. */
  shouldWait?(all: readonly Endpoint[], free: readonly Endpoint[], moment: Moment): boolean;
}

export interface DispatchGateOptions {
  readonly detector: SaturationDetector;
  readonly servers: ServerModels;
  readonly now: () => number;
}

/** The servers on which a prompt may be computed. */
interface PrefillSlots {
  readonly able: readonly Endpoint[];
  readonly free: readonly Endpoint[];
  /** Milliseconds until those of `able` have a place. */
  readonly until: ReadonlyMap<Endpoint, number>;
}

/** What is there for a request that leaves something to those of higher bands, or nothing. */
interface AvailableSlots {
  readonly of: PoolSnapshot;
  readonly reserve: Reserve | undefined;
  readonly held: Holdback;
  readonly free: readonly Endpoint[];
  /** Whether each stage has a free one. */
  readonly hasFree: boolean;
  prompts?: PrefillSlots;
}

const none: Holdback = new Map();

/**
 * The places that a pool's model servers have for requests. A server has as many slots as it was seen to work on at once, and
 * a request goes only to one with a free slot: so requests wait here, by the rules of flow control, and not there. A server
 * that the detector calls full gets none either.
 *
 * Slots are those of which the server's metrics tell; else what the detector's configuration says at first and at most; else
 * what was learnt. A server whose metrics are old, or were never read, is neither idle nor full: it has what was sent there.
 * Only one that is lost gets none, unless all are.
 */
export class DispatchGate<Request extends SendableRequest> implements Capacity<Request> {
  readonly #detector: SaturationDetector;
  readonly #models: ServerModels;
  readonly #now: () => number;
  #pickers = 1;
  #endpoints: readonly Endpoint[] = [];
  #modelOf: ReadonlyMap<LiveState, ServerModel> = new Map();
  #servers: readonly Server[] = [];
  #view: PoolSnapshot | undefined;
  /** Several flows compete for places. */
  #isShared = false;
  /** The picker saw an answer begin, and so sees when prompts are computed. */
  #seesAnswers = false;
  /** The servers in an order that every picker has. */
  #inOrder: readonly Server[] = [];
  #slots: AvailableSlots | undefined;
  /** What was left to higher bands when it was asked for last. */
  #held: Holdback = none;
  #lastFree: readonly Endpoint[] = [];
  #lastBeyond: readonly Endpoint[] = [];
  /** What `#fewestSeen` found; undefined where it may be another now. */
  #fewest: number | undefined;
  /** When a place was asked for last there was none. */
  #isShort = false;
  /** How full the pool was when it was looked at last: 1 is full. */
  lastSaturation = 0;

  constructor({ detector, servers, now }: DispatchGateOptions) {
    this.#detector = detector;
    this.#models = servers;
    this.#now = now;
  }

  /** Pickers that send to the endpoints, this one among them. */
  get pickers(): number {
    return this.#pickers;
  }

  /** Takes the number of pickers that send to the same endpoints, at least 1: each spends its part of the slots. */
  share(pickers: number): void {
    this.#pickers = pickers;
    this.#view = undefined;
  }

  /** Takes the pool's endpoints in place of those before. */
  use(endpoints: readonly Endpoint[]): void {
    // A server that joins is most likely as large as the others.
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
    this.#modelOf = new Map(this.#servers.map(({ model }) => [model.live, model]));
    this.#inOrder = this.#servers
      .map((server) => ({ server, key: textKey(server.endpoint.id) }))
      .sort((a, b) => a.key - b.key)
      .map(({ server }) => server);
    this.#fewest = undefined;
    this.#view = undefined;
  }

  /**
   * Learns from an endpoint's metrics, which were just read.
   * @param ejected share of the slots that requests which wait must leave unused
   */
  learn(endpoint: Endpoint, ejected = 0): void {
    const { live } = endpoint;
    const model = this.#modelOf.get(live);
    if (live.metrics?.reportsRequests && model !== undefined) {
      const { slots } = model;
      const { limit } = slots;
      // Nobody fills what is left to higher bands, so its slots would not be learnt.
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

  /** The slots of the smallest server whose limit was seen; no limit where none was. Worked out when one has changed. */
  #fewestSeen(): number {
    this.#fewest ??= this.#servers.reduce(
      (fewest, { model }) => Math.min(fewest, model.slots.limit),
      Number.POSITIVE_INFINITY,
    );
    return this.#fewest;
  }

  /** Forgets what it saw: loads have changed. */
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
    return this.#take(request, true, reserve);
  }

  takeRest(request: Request, reserve?: Reserve): boolean {
    return this.#take(request, false, reserve);
  }

  #take(request: Request, isContested: boolean, reserve: Reserve | undefined): boolean {
    const slots = this.#slotsBeyond(reserve);
    const { free } = slots;
    if (free.length < this.#endpoints.length && request.shouldWait !== undefined) {
      const now = this.#now();
      const { able, free, until } = this.#prefillSlots(slots, now);
      const moment = { now, isContested, msPerToken: this.msPerToken, until };
      if (request.shouldWait(able, free, moment)) return false;
    }
    this.#view = undefined;
    if (request.sendTo(free)) return true;
    // One that may go to none but those which it leaves to others would wait for ever.
    return !isContested && reserve !== undefined && request.sendTo(this.view().free);
  }

  /** Milliseconds in which a server of the pool computes a prompt token, as far as it is known. */
  get msPerToken(): number {
    return this.#models.speeds.msPerToken;
  }

  /** Returns what there is beyond a reserve. Worked out once for each view. */
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
   * Returns the servers that compute prompts and have a place, and those that have one or will have one soon: not one that
   * is down or lost, or left to others. Worked out once for each of both.
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

  /** Requests that an endpoint has. */
  loadOf({ live }: Endpoint): number {
    return endpointLoad(live);
  }

  /** Slots of an endpoint; undefined where it is none of the pool's. */
  slotsOf({ live }: Endpoint): number | undefined {
    const model = this.#modelOf.get(live);
    return model && slotsOf(model);
  }

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

  /** The same list as long as the same endpoints are free: who was not sent to one of them knows it again. */
  #sameFree(free: readonly Endpoint[]): readonly Endpoint[] {
    if (free.length === this.#endpoints.length) return this.#endpoints;
    this.#lastFree = sameList(this.#lastFree, free);
    return this.#lastFree;
  }
}

const sameList = (last: readonly Endpoint[], now: readonly Endpoint[]): readonly Endpoint[] =>
  now.length === last.length && now.every((endpoint, at) => endpoint === last[at]) ? last : now;
