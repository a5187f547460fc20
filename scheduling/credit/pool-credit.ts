import type { Endpoint, LiveState } from "../endpoint.ts";
import type { Capacity } from "../flow-control/capacity.ts";
import type { FlowRequest } from "../flow-control/flow-request.ts";
import type { PoolSize, Reserve } from "../flow-control/policies.ts";
import type { PrefillSpeeds } from "../prefill-speeds.ts";
import { textKey } from "../rendezvous.ts";
import { isForStage } from "../roles.ts";
import type { SaturationDetector } from "../saturation.ts";
import { Answers } from "./answers.ts";
import type { Moment } from "./cheaper-elsewhere.ts";
import { endpointLoad } from "./endpoint-load.ts";
import { firstSlots, LearntSlots } from "./learnt-slots.ts";
import { type Left, placesBeyond, type StagedServer } from "./places-beyond.ts";
import { StageLook } from "./stage-look.ts";
import { Unanswered } from "./unanswered.ts";

/** A request that can be sent to a model server. */
export interface SendableRequest extends FlowRequest {
  /** Sends it to one of some endpoints. Returns false where it may go to none of them, although it may go to others. */
  sendTo(endpoints: readonly Endpoint[]): boolean;
  /** Whether it leaves the places of `free` to others for now, to have one of the other endpoints. Default: never. */
  leaves?(all: readonly Endpoint[], free: readonly Endpoint[], moment: Moment): boolean;
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
  /** Endpoints that get requests. */
  readonly endpoints: number;
  /** Requests that they have, and for which they have slots. */
  readonly load: number;
  readonly slots: number;
}

export interface PoolCreditOptions {
  readonly detector: SaturationDetector;
  readonly speeds: Pick<PrefillSpeeds, "msPerToken">;
  readonly now: () => number;
}

/** Slots where servers do not tell how many requests they have, as concurrency-detector has by default. */
const untoldSlots = 100;

/**
 * Milliseconds after which a server is lost whose metrics were read and are not any more, and that answers nobody: it may hang,
 * and what it gets stays with it. Until then nothing speaks against it but what was sent there.
 */
const lostAfter = 2_000;

/** Prompt tokens from which others wait for them to be computed. First tokens of short prompts may just be seen late. */
const longPrompts = 1_024;

/** An endpoint with what stays of it from one look to the next. */
interface Server extends Learnt, StagedServer {
  /** Prompts of requests are computed there. */
  readonly computesPrompts: boolean;
}

/** What was learnt of a server. */
interface Learnt {
  readonly slots: LearntSlots;
  readonly answers: Answers;
  readonly unanswered: Unanswered;
  /** When it joined the pool, in milliseconds. */
  readonly since: number;
}

/** The servers on which a prompt may be computed. */
interface PlacesOfPrompts {
  readonly able: readonly Endpoint[];
  readonly free: readonly Endpoint[];
}

/** What is there for a request that leaves something to those of higher bands, or nothing. */
interface Places {
  readonly of: PoolCreditView;
  readonly reserve: Reserve | undefined;
  readonly left: Left;
  readonly free: readonly Endpoint[];
  /** Whether each stage has a free one. */
  readonly hasFree: boolean;
  prompts?: PlacesOfPrompts;
}

const none: Left = new Map();

/**
 * The places that a pool's model servers have for requests. A server has as many slots as it was seen to work on at once, and
 * a request goes only to one with a free slot: so requests wait here, by the rules of flow control, and not there. A server
 * that the detector calls full gets none either.
 *
 * Slots are those of which the server's metrics tell; else what the detector's configuration says at first and at most; else
 * what was learnt. A server whose metrics are old, or were never read, is neither idle nor full: it has what was sent there.
 * Only one that is lost gets none, unless all are.
 */
export class PoolCredit<Request extends SendableRequest> implements Capacity<Request> {
  readonly #detector: SaturationDetector;
  readonly #speeds: PoolCreditOptions["speeds"];
  readonly #now: () => number;
  #pickers = 1;
  #endpoints: readonly Endpoint[] = [];
  #servers: readonly Server[] = [];
  readonly #learnt = new Map<LiveState, Learnt>();
  #view: PoolCreditView | undefined;
  /** Several flows compete for places. */
  #isShared = false;
  /** The picker saw an answer begin, and so sees when prompts are computed. */
  #seesAnswers = false;
  /** The servers in an order that every picker has. */
  #inOrder: readonly Server[] = [];
  #places: Places | undefined;
  /** What was left to higher bands when it was asked for last. */
  #left: Left = none;
  #lastFree: readonly Endpoint[] = [];
  #lastBeyond: readonly Endpoint[] = [];
  /** How full the pool was when it was looked at last: 1 is full. */
  lastSaturation = 0;

  constructor({ detector, speeds, now }: PoolCreditOptions) {
    this.#detector = detector;
    this.#speeds = speeds;
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
    const gone = new Set(this.#learnt.keys());
    // A server that joins is most likely as large as the others.
    const others = [...this.#learnt.values()].map(({ slots }) => slots.count);
    const first = Math.min(...others, this.#detector.slots ?? Number.POSITIVE_INFINITY);
    const newcomer = (): Learnt => ({
      slots: new LearntSlots(Number.isFinite(first) ? first : firstSlots),
      answers: new Answers(),
      unanswered: new Unanswered(),
      since: this.#now(),
    });
    const hasPrefillers = endpoints.some(({ labels }) => isForStage(labels, "prefill"));
    this.#endpoints = endpoints;
    this.#servers = endpoints.map((endpoint) => {
      const { live, labels } = endpoint;
      gone.delete(live);
      const learnt = this.#learnt.get(live) ?? newcomer();
      this.#learnt.set(live, learnt);
      const [prefills, decodes] = [isForStage(labels, "prefill"), isForStage(labels, "decode")];
      const computesPrompts = prefills || !hasPrefillers;
      return { ...learnt, endpoint, prefills, decodes, computesPrompts, full: undefined };
    });
    this.#inOrder = this.#servers
      .map((server) => ({ server, key: textKey(server.endpoint.id) }))
      .sort((a, b) => a.key - b.key)
      .map(({ server }) => server);
    for (const live of gone) this.#learnt.delete(live);
    this.#view = undefined;
  }

  /**
   * Learns from an endpoint's metrics, which were just read.
   * @param heldBack share of the slots that requests which wait must leave unused
   */
  learn(endpoint: Endpoint, heldBack = 0): void {
    const { live } = endpoint;
    const { metrics, runningRequests } = live;
    const learnt = this.#learnt.get(live);
    if (metrics?.tellsRequests && learnt !== undefined) {
      const { slots } = learnt;
      const load = endpointLoad(live);
      // Nobody fills what is left to higher bands, so its slots would not be learnt.
      const usable = this.#left.get(endpoint);
      if (usable !== undefined) slots.expect(this.#fewestSeen());
      // The others may leave theirs unused, and some are not for those that wait.
      const isFull = runningRequests >= this.#ownPart(live, slots.count);
      const unanswered = learnt.unanswered.read(metrics) ?? 0;
      const others = live.reading?.others ?? 0;
      const begun = runningRequests - live.prompts.size;
      slots.read(metrics, {
        load: Math.max(load, isFull ? slots.count : 0),
        usable: Math.min(usable || 1, 1 - heldBack),
        ended: live.sentRequests - runningRequests,
        prefilling:
          live.runningTokens + live.othersTokens < longPrompts
            ? 0
            : this.#pickers > 1
              ? unanswered
              : metrics.runningRequests - begun - others,
      });
    }
    this.#view = undefined;
  }

  /** An answer of an endpoint began, or a request failed there. */
  answered({ live }: Endpoint, { failed }: { readonly failed: boolean }): void {
    const answers = this.#learnt.get(live)?.answers;
    if (failed) answers?.failed(this.#now());
    else answers?.began(this.#now());
  }

  /** The slots of the smallest server whose limit was seen; 0 where none was. */
  #fewestSeen(): number {
    const seen = this.#servers.flatMap(({ slots }) => (slots.isLimitSeen ? slots.count : []));
    return seen.length === 0 ? 0 : Math.min(...seen);
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
    return hasFree ? free.length : 0;
  }

  hasPlaceBeyond(reserve: Reserve): boolean {
    return this.#placesBeyond(reserve).hasFree;
  }

  take(request: Request, reserve?: Reserve): boolean {
    return this.#take(request, true, reserve);
  }

  takeRest(request: Request, reserve?: Reserve): boolean {
    return this.#take(request, false, reserve);
  }

  #take(request: Request, isContested: boolean, reserve: Reserve | undefined): boolean {
    const places = this.#placesBeyond(reserve);
    const { free } = places;
    if (free.length < this.#endpoints.length && request.leaves !== undefined) {
      const now = this.#now();
      const prompts = this.#placesOfPrompts(places, now);
      const moment = { now, isContested, msPerToken: this.msPerToken };
      if (request.leaves(prompts.able, prompts.free, moment)) return false;
    }
    this.#view = undefined;
    if (request.sendTo(free)) return true;
    // One that may go to none but those which it leaves to others would wait for ever.
    return !isContested && reserve !== undefined && request.sendTo(this.view().free);
  }

  /** Milliseconds in which a server of the pool computes a prompt token, as far as it is known. */
  get msPerToken(): number {
    return this.#speeds.msPerToken;
  }

  /** Returns what there is beyond a reserve. Worked out once for each view. */
  #placesBeyond(reserve: Reserve | undefined): Places {
    const view = this.view();
    const last = this.#places;
    const isSame = reserve?.used === last?.reserve?.used && reserve?.free === last?.reserve?.free;
    if (last !== undefined && last.of === view && isSame) return last;
    const { free, hasFree } = view;
    const all = { of: view, reserve, left: none, free, hasFree };
    this.#places = reserve === undefined ? all : { ...all, ...this.#beyond(reserve, view) };
    return this.#places;
  }

  #beyond(reserve: Reserve, { free: all }: PoolCreditView) {
    const { left, free, hasFree } = placesBeyond(reserve, this.#inOrder, all);
    this.#left = left;
    this.#lastBeyond = sameList(this.#lastBeyond, free);
    return { left, free: left.size === 0 ? all : this.#lastBeyond, hasFree };
  }

  /**
   * Returns the servers that compute prompts and have a place, and those that have one or will have one soon: not one that
   * is down or lost, or left to others. Worked out once for each of both.
   */
  #placesOfPrompts(places: Places, now: number): PlacesOfPrompts {
    if (places.prompts === undefined) {
      const has = new Set(places.free);
      const able = this.#servers.flatMap((server) => {
        const { endpoint, computesPrompts } = server;
        const isGone = endpoint.live.isDown || isLost(server, now);
        const isAble = has.has(endpoint) || !(isGone || places.left.has(endpoint));
        return computesPrompts && isAble ? [endpoint] : [];
      });
      places.prompts = { able, free: able.filter((each) => has.has(each)) };
    }
    return places.prompts;
  }

  /** Requests that an endpoint has. */
  loadOf({ live }: Endpoint): number {
    return endpointLoad(live);
  }

  /** Slots of an endpoint; undefined where it is none of the pool's. */
  slotsOf({ live }: Endpoint): number | undefined {
    const learnt = this.#learnt.get(live);
    return learnt && slotsOf(live, learnt.slots.count);
  }

  view(): PoolCreditView {
    this.#view ??= this.#look();
    return this.#view;
  }

  #look(): PoolCreditView {
    const now = this.#now();
    const detector = this.#detector;
    const isStale = (endpoint: Endpoint) => detector.isStale?.(endpoint, now) === true;
    let [stale, lost, tell, failing] = [0, 0, 0, 0];
    for (const server of this.#servers) {
      const { endpoint } = server;
      if (endpoint.live.firstTokens > 0) this.#seesAnswers = true;
      if (endpoint.live.metrics?.tellsRequests === true) tell += 1;
      if (server.answers.areFailures) failing += 1;
      if (!isStale(endpoint)) continue;
      stale += 1;
      if (isLost(server, now)) lost += 1;
    }
    // While others tell how many requests they have, one that does not yet is taken for as small as any.
    const untold = tell > 0 ? (detector.slots ?? firstSlots) : untoldSlots;
    // If most fail, it is for the requests: who sends bad ones must not stop a pool.
    const holdsBack = 2 * failing <= this.#servers.length;
    const stages = { prefill: new StageLook(), decode: new StageLook() };
    const free: Endpoint[] = [];
    let [known, allLoad, allSlots] = [0, 0, 0];
    for (const server of this.#servers) {
      const { endpoint, slots, answers, since, prefills, decodes, computesPrompts } = server;
      server.full = undefined;
      const isOld = stale > 0 && isStale(endpoint);
      if (isOld && lost < this.#servers.length && isLost(server, now)) continue;
      const { live } = endpoint;
      const isRead = live.metrics !== undefined || now - since > lostAfter;
      const most =
        live.metrics?.tellsRequests === true
          ? slotsOf(live, slots.count)
          : Math.min(untold, isRead ? untold : slots.count);
      const load = endpointLoad(live);
      const full = Math.max(
        load / most,
        live.runningRequests / this.#ownPart(live, most),
        isOld ? 0 : detector.saturation(endpoint, now),
        // Nobody listens there, or what is sent there fails.
        live.isDown || (holdsBack && answers.holdBack(live, now)) ? 1 : 0,
      );
      known += 1;
      allLoad += load;
      allSlots += most;
      // What comes to a server with a step full of prompts waits there. Where flows compete that place goes to the one whose
      // turn it is when they are computed.
      const isSpared = this.#isShared && this.#seesAnswers && computesPrompts;
      const isFree = full < 1 && !(isSpared && live.streamedTokens >= longPrompts);
      if (isFree) free.push(endpoint);
      if (!live.isDown) server.full = full;
      // A decoder prefills itself while no prefiller listens; it waits for one that is full.
      if (prefills && !live.isDown) stages.prefill.add(full, isFree);
      if (decodes) stages.decode.add(full, isFree);
    }
    const prefill = stages.prefill.saturation;
    const decode = stages.decode.saturation;
    const effective = this.#servers.length === 0 ? 1 : Math.max(prefill ?? 0, decode ?? 0);
    this.lastSaturation = effective;
    return {
      saturation: { effective, prefill, decode },
      free: this.#sameFree(free),
      hasFree: free.length > 0 && stages.prefill.hasFree && stages.decode.hasFree,
      stale,
      endpoints: known,
      load: allLoad,
      slots: allSlots,
    };
  }

  /**
   * Slots of a server that this picker may use: its part; and half of what others leave of theirs, for they may come for it
   * before its use is seen.
   */
  #ownPart({ reading }: LiveState, slots: number): number {
    if (this.#pickers === 1) return slots;
    const part = Math.ceil(slots / this.#pickers);
    if (reading === undefined) return part;
    return part + Math.floor(Math.max(0, slots - part - reading.others) / 2);
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

const isLost = ({ endpoint: { live }, answers }: Server, now: number): boolean =>
  live.metrics !== undefined && now - Math.max(live.metrics.at, answers.lastAt) > lostAfter;

const slotsOf = ({ metrics }: LiveState, learnt: number): number =>
  metrics?.maxRunningRequests ?? learnt;
