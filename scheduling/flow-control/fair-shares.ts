import { constants } from "../load-constants.ts";
import type { FlowRequest, Ticket, Usage } from "./flow-request.ts";
import { Heap, type HeapEntry } from "./heap.ts";

const { expectedAnswerPart, recentSamples, startMs } = constants;

interface Share<Member> {
  readonly weight: number;
  /** Use so far, divided by the weight. */
  used: number;
  /** Number of in-flight requests. */
  running: number;
  /** Pace up to which the in-flight requests are counted. */
  countedTo: number;
  /** Mean number of response tokens. */
  readonly completion: RecentMean;
  /** Orders members with equal use: the member that reached this use first is next. */
  order: number;
  place: HeapEntry<Member> | undefined;
  /** Whether the member left only because its requests are set aside for a moment. */
  keepsClaim: boolean;
}

interface Options {
  /** Unit of use. Default tokens. */
  readonly unit?: "requests" | "tokens";
  /** Use of a member of weight 1 before the next member's turn. Default 0: the member with the least use is next. */
  readonly quantum?: number;
}

/** Members whose in-flight requests are counted at each dispatch and completion, in rotation. */
const countedAtOnce = 4;

/** Use that was counted for a request at its dispatch. */
interface Charge {
  readonly counted: number;
  /** Use with the full expected response. */
  readonly expected: number;
  readonly at: number;
  /** Pace at dispatch. */
  readonly pace: number;
}

const meanOfLast = () => new RecentMean(recentSamples);

/**
 * Gives members turns by weight: the member with the least use for its weight is next.
 *
 * At dispatch, a request counts with the tokens of its prompt and a part of the member's recent response length. While
 * it runs, it also counts with the tokens that a usual response gets in that time. Therefore a member whose responses
 * happen to be long does not run more requests than other members, and has no debt when they end. At the end, the known
 * tokens replace all of that. If a request ends without usage, because its client disconnected before the response, its
 * duration counts: otherwise members with such clients would wait longer, and more of their clients would disconnect.
 *
 * A member without requests does not keep its unused share, but it keeps its debt (start-time fair queueing; with a
 * quantum, deficit round robin whose counters may fall below zero).
 */
export class FairShares<Member> {
  readonly #byRequests: boolean;
  readonly #quantum: number;
  readonly #shares = new Map<Member, Share<Member>>();
  readonly #charges = new Map<Ticket, Charge>();
  /**
   * Means of recent responses: time from dispatch to end in ms, tokens of the response, and tokens including the
   * prompt.
   */
  readonly #answers = { ms: meanOfLast(), completion: meanOfLast(), tokens: meanOfLast() };
  /** Tokens of one usual response that never ends, since the start. Each in-flight request is counted by its growth. */
  #pace = 0;
  #pacedAt = 0;
  /** Members with in-flight requests, and the index of the next one to count. */
  readonly #running: Share<Member>[] = [];
  #nextCounted = 0;
  readonly #turns = new Heap<Member>();
  #order = 0;
  /** Use of the member that had the last turn. A member that enters starts there. */
  #now = 0;

  constructor({ unit = "tokens", quantum = 0 }: Options = {}) {
    this.#byRequests = unit === "requests";
    this.#quantum = quantum;
  }

  /** The member whose turn is next; undefined if none has requests. */
  get next(): Member | undefined {
    return this.#turns.first?.item;
  }

  /** Returns the members that have requests, the next one first. */
  inOrder(): readonly Member[] {
    return this.#turns
      .entries()
      .toSorted((a, b) => a.key - b.key || a.tie - b.tie)
      .map(({ item }) => item);
  }

  /** Called when the member has requests. */
  enter(member: Member, weight: number): void {
    const share = this.#shareOf(member, weight);
    if (share.place !== undefined) return;
    this.#begin(share);
    share.place = this.#turns.add(member, this.#turn(share), share.order);
  }

  /**
   * Called when the member has no requests left.
   * @param keepsClaim the member has requests that are set aside for a moment; it then gets the turn that it would have
   * had
   */
  leave(member: Member, keepsClaim = false): void {
    const share = this.#shares.get(member);
    if (share === undefined) return;
    share.keepsClaim = keepsClaim;
    if (share.place === undefined) return;
    this.#turns.remove(share.place);
    share.place = undefined;
  }

  /** Counts a request that is dispatched while none is queued, as if the member entered, had its turn and left. */
  pass(member: Member, weight: number, ticket: Ticket, now: number): void {
    const share = this.#shareOf(member, weight);
    this.#begin(share);
    this.#charge(share, ticket, now);
    share.keepsClaim = false;
  }

  dispatched(member: Member, ticket: Ticket, now: number): void {
    this.#charge(this.#shares.get(member) as Share<Member>, ticket, now);
  }

  #shareOf(member: Member, weight: number): Share<Member> {
    const known = this.#shares.get(member);
    if (known !== undefined) return known;
    const share = {
      ...{ weight, used: 0, running: 0, countedTo: 0, completion: meanOfLast() },
      ...{ order: 0, place: undefined, keepsClaim: false },
    };
    this.#shares.set(member, share);
    return share;
  }

  /** Raises the member's use to the current level, unless it keeps its claim: a share that it left unused is lost. */
  #begin(share: Share<Member>): void {
    if (share.keepsClaim) return;
    share.used = Math.max(share.used, this.#now);
    share.order = this.#nextOrder();
  }

  #charge(share: Share<Member>, ticket: Ticket, now: number): void {
    this.#now = Math.max(this.#now, share.used);
    if (this.#byRequests) {
      this.#use(share, 1);
      return;
    }
    this.#goOn(share, now);
    const { completion } = share.completion.isKnown ? share : this.#answers;
    const { promptTokens } = ticket.request;
    const expected = promptTokens + completion.value;
    const counted = promptTokens + expectedAnswerPart * completion.value;
    this.#charges.set(ticket, { counted, expected, at: now, pace: this.#pace });
    if (share.running === 0) this.#running.push(share);
    share.running += 1;
    this.#use(share, counted);
  }

  completed(member: Member, ticket: Ticket, usage: Usage, now: number): void {
    const charge = this.#charges.get(ticket);
    if (charge === undefined) return;
    this.#charges.delete(ticket);
    const share = this.#shares.get(member);
    if (share === undefined) return;
    this.#goOn(share, now);
    const counted = charge.counted + this.#pace - charge.pace;
    share.running -= 1;
    if (share.running === 0) this.#running.splice(this.#running.indexOf(share), 1);
    const { promptTokens = ticket.request.promptTokens, completionTokens } = usage;
    if (completionTokens !== undefined)
      this.#learn(share, promptTokens, completionTokens, now - charge.at);
    this.#use(share, this.#costOf(ticket.request, usage, charge, now) - counted);
  }

  /** Returns the cost of a request that has ended. */
  #costOf(
    { promptTokens: reported }: FlowRequest,
    usage: Usage,
    { expected, at }: Charge,
    now: number,
  ): number {
    const { promptTokens, completionTokens } = usage;
    if (promptTokens === undefined && completionTokens === undefined)
      return Math.min(expected, this.#costOfTime(now - at, expected));
    return (promptTokens ?? reported) + (completionTokens ?? expected - reported);
  }

  /** Counts the use by in-flight requests: of this member, and of some other members in rotation. */
  #goOn(share: Share<Member>, now: number): void {
    const { ms, completion } = this.#answers;
    if (ms.isKnown) this.#pace += ((now - this.#pacedAt) * completion.value) / ms.value;
    this.#pacedAt = now;
    this.#count(share);
    for (let many = Math.min(countedAtOnce, this.#running.length); many > 0; many -= 1) {
      this.#nextCounted = (this.#nextCounted + 1) % this.#running.length;
      this.#count(this.#running[this.#nextCounted] as Share<Member>);
    }
  }

  #count(share: Share<Member>): void {
    const tokens = share.running * (this.#pace - share.countedTo);
    share.countedTo = this.#pace;
    if (tokens > 0) this.#use(share, tokens);
  }

  forget(member: Member): void {
    this.leave(member);
    this.#shares.delete(member);
  }

  #use(share: Share<Member>, cost: number): void {
    const before = this.#turn(share);
    share.used += cost / share.weight;
    const turn = this.#turn(share);
    if (turn === before) return;
    share.order = this.#nextOrder();
    if (share.place !== undefined) this.#turns.move(share.place, turn, share.order);
  }

  /** Returns the usual use in that time, or the matching part of the expected use if that is higher. */
  #costOfTime(took: number, expected: number): number {
    const { ms, tokens } = this.#answers;
    if (!ms.isKnown) return expected;
    const part = took / Math.min(startMs, ms.value);
    return Math.max((took * tokens.value) / ms.value, part * expected);
  }

  #learn(share: Share<Member>, prompt: number, completion: number, took: number): void {
    // A request that never reached a model server does not show the length of responses.
    if (prompt > 0) share.completion.add(completion);
    if (completion === 0) return;
    const answers = this.#answers;
    answers.ms.add(Math.max(1, took));
    answers.completion.add(completion);
    answers.tokens.add(prompt + completion);
  }

  #turn({ used }: Share<Member>): number {
    return this.#quantum === 0 ? used : Math.floor(used / this.#quantum);
  }

  #nextOrder(): number {
    this.#order += 1;
    return this.#order;
  }
}

/** Mean of recent values, in which older values count less. */
class RecentMean {
  value = 0;
  readonly #remembered: number;
  #count = 0;

  /** @param remembered number of values in the mean. Until it is reached, all values count the same */
  constructor(remembered: number) {
    this.#remembered = remembered;
  }

  get isKnown(): boolean {
    return this.#count > 0;
  }

  add(value: number): void {
    this.#count = Math.min(this.#remembered, this.#count + 1);
    this.value += (value - this.value) / this.#count;
  }
}
