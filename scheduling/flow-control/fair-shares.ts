import type { Ticket, Usage } from "./flow-request.ts";
import { Heap, type HeapEntry } from "./heap.ts";

interface Share<Member> {
  readonly weight: number;
  /** What it has used, divided by its weight. */
  used: number;
  /** What its answers cost lately: the mean of the last ones. */
  completion: number;
  /** Members that have used the same have their turns in the order in which they came to it. */
  order: number;
  place: HeapEntry<Member> | undefined;
  /** It has no place for a moment only. */
  keepsClaim: boolean;
}

interface Options {
  /** What counts. Default tokens. */
  readonly unit?: "requests" | "tokens";
  /** What a member of weight 1 uses before the next one has its turn. Default 0: the one that has used least is next. */
  readonly quantum?: number;
}

/** Share of the newest answer in the mean of a member's answers, and of all. */
const newest = 0.2;

/**
 * Milliseconds after which a request that ends without a word of its cost has cost as much as others, at most: so long takes a
 * prompt.
 */
const longest = 1_000;

/** What a request was counted as when it went. */
interface Charge {
  readonly cost: number;
  readonly at: number;
}

/**
 * Gives members turns by their weights: next is the one that has used least for its weight. A request is counted when it is
 * dispatched, by the tokens of its prompt and those that answers to the member's requests had lately, and corrected when it
 * has ended, so that what cannot be known before counts at the next turn. One that ends without a word of its cost, as its
 * client went before the answer, is counted by its time: else those whose clients go would wait for longer, and more of them
 * would go. A member that had nothing to send has no claim to what it left unused, but still owes what it used (start-time
 * fair queueing; with a quantum, deficit round robin whose counters may go below zero).
 */
export class FairShares<Member> {
  readonly #byRequests: boolean;
  readonly #quantum: number;
  readonly #shares = new Map<Member, Share<Member>>();
  readonly #charges = new Map<Ticket, Charge>();
  /** Milliseconds that answers take from the turn to the end, and tokens with those of the prompt: means of the last ones. */
  #answers: { readonly ms: number; readonly tokens: number } | undefined;
  readonly #turns = new Heap<Member>();
  #order = 0;
  /** What the member had used whose turn was last: who comes anew begins there. */
  #now = 0;

  constructor({ unit = "tokens", quantum = 0 }: Options = {}) {
    this.#byRequests = unit === "requests";
    this.#quantum = quantum;
  }

  /** The member whose turn it is; undefined where none has requests. */
  get next(): Member | undefined {
    return this.#turns.first?.item;
  }

  /** The members that have requests, the next one first. */
  inOrder(): readonly Member[] {
    return this.#turns
      .entries()
      .toSorted((a, b) => a.key - b.key || a.tie - b.tie)
      .map(({ item }) => item);
  }

  /** The member has requests. */
  enter(member: Member, weight: number): void {
    const share = this.#shareOf(member, weight);
    if (share.place !== undefined) return;
    this.#begin(share);
    share.place = this.#turns.add(member, this.#turn(share), share.order);
  }

  /**
   * It has none any more.
   * @param keepsClaim it has some that cannot go for the moment: when they can it has the turn that it would have had
   */
  leave(member: Member, keepsClaim = false): void {
    const share = this.#shares.get(member);
    if (share === undefined) return;
    share.keepsClaim = keepsClaim;
    if (share.place === undefined) return;
    this.#turns.remove(share.place);
    share.place = undefined;
  }

  /** A request goes while none waits: the member enters, has its turn and leaves. */
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
      ...{ weight, used: 0, completion: 0, order: 0, place: undefined },
      keepsClaim: false,
    };
    this.#shares.set(member, share);
    return share;
  }

  /** It has no claim to what it left unused. */
  #begin(share: Share<Member>): void {
    if (share.keepsClaim) return;
    share.used = Math.max(share.used, this.#now);
    share.order = this.#nextOrder();
  }

  #charge(share: Share<Member>, ticket: Ticket, now: number): void {
    this.#now = Math.max(this.#now, share.used);
    const cost = this.#byRequests ? 1 : ticket.request.promptTokens + share.completion;
    if (!this.#byRequests) this.#charges.set(ticket, { cost, at: now });
    this.#use(share, cost);
  }

  completed(member: Member, ticket: Ticket, usage: Usage, now: number): void {
    const charge = this.#charges.get(ticket);
    if (charge === undefined) return;
    this.#charges.delete(ticket);
    const share = this.#shares.get(member);
    if (share === undefined) return;
    const took = now - charge.at;
    if (usage.promptTokens === undefined && usage.completionTokens === undefined) {
      this.#use(share, Math.min(0, this.#costOf(took, charge) - charge.cost));
      return;
    }
    const { promptTokens = ticket.request.promptTokens, completionTokens } = usage;
    if (completionTokens === undefined) {
      this.#use(share, promptTokens - ticket.request.promptTokens);
      return;
    }
    if (completionTokens > 0) this.#learn(took, promptTokens + completionTokens);
    // One that no model server had says nothing of answers.
    if (promptTokens > 0) share.completion = mean(share.completion, completionTokens);
    this.#use(share, promptTokens + completionTokens - charge.cost);
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

  /** What others use in that time, or the part of its own that it may have used. */
  #costOf(took: number, { cost }: Charge): number {
    if (this.#answers === undefined) return cost;
    const { ms, tokens } = this.#answers;
    return Math.max((took * tokens) / ms, (took * cost) / Math.min(longest, ms));
  }

  #learn(took: number, tokens: number): void {
    const last = { ms: Math.max(1, took), tokens };
    const before = this.#answers ?? last;
    this.#answers = { ms: mean(before.ms, last.ms), tokens: mean(before.tokens, last.tokens) };
  }

  #turn({ used }: Share<Member>): number {
    return this.#quantum === 0 ? used : Math.floor(used / this.#quantum);
  }

  #nextOrder(): number {
    this.#order += 1;
    return this.#order;
  }
}

const mean = (of: number, last: number): number => of + newest * (last - of);
