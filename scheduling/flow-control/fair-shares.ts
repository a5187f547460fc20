import { constants } from "../load-constants.ts";
import type { FlowRequest, Ticket, Usage } from "./flow-request.ts";
import { Heap, type HeapEntry } from "./heap.ts";

/** The mean of the last values; the older one is, the less it counts. */
class RecentMean {
  value = 0;
  readonly #remembered: number;
  #count = 0;

  /** @param remembered how many values make the mean: before there are as many, all count alike */
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

const { answerSamples, expectedAnswerPart, longestPromptMs } = constants;

interface Share<Member> {
  readonly weight: number;
  /** What it has used, divided by its weight. */
  used: number;
  /** Requests on their way. */
  running: number;
  /** Up to which pace they are counted. */
  countedTo: number;
  /** Tokens of its answers. */
  readonly completion: RecentMean;
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

/** Members that are counted anew with each request that goes or ends, in turns. */
const countedAtOnce = 4;

/** What a request was counted as when it went. */
interface Charge {
  readonly counted: number;
  /** With all of the answer that is expected. */
  readonly expected: number;
  readonly at: number;
  /** The pace at which it went. */
  readonly pace: number;
}

const meanOfLast = () => new RecentMean(answerSamples);

/**
 * Gives members turns by their weights: next is the one that has used least for its weight. A request is counted when it is
 * dispatched, by the tokens of its prompt and a part of those that answers to the member's requests had lately; while it is on
 * its way also by the tokens that answers have in such a time. So a member whose answers happen to be long gets no more requests
 * on their way than others, and none has to make good for them when they end. When it has ended, what is known of it counts in
 * place of all that. One that ends without a word of its cost, as its client went before the answer, is counted by its time:
 * else those whose clients go would wait for longer, and more of them would go. A member that had nothing to send has no claim
 * to what it left unused, but still owes what it used (start-time fair queueing; with a quantum, deficit round robin whose
 * counters may go below zero).
 */
export class FairShares<Member> {
  readonly #byRequests: boolean;
  readonly #quantum: number;
  readonly #shares = new Map<Member, Share<Member>>();
  readonly #charges = new Map<Ticket, Charge>();
  /** Milliseconds that answers take from the turn to the end, their tokens, and these with those of the prompt. */
  readonly #answers = { ms: meanOfLast(), completion: meanOfLast(), tokens: meanOfLast() };
  /** Tokens of an answer that were made since the beginning, if one took so long: what each request on its way is counted by. */
  #pace = 0;
  #pacedAt = 0;
  /** Members with requests on their way, and the one that is counted next. */
  readonly #running: Share<Member>[] = [];
  #nextCounted = 0;
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
      ...{ weight, used: 0, running: 0, countedTo: 0, completion: meanOfLast() },
      ...{ order: 0, place: undefined, keepsClaim: false },
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

  /** What a request has cost that has ended. */
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

  /** Counts what requests on their way use: those of a member, and of some others in turns. */
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

  /** What others use in that time, or the part of its own that it may have used. */
  #costOfTime(took: number, expected: number): number {
    const { ms, tokens } = this.#answers;
    if (!ms.isKnown) return expected;
    const part = took / Math.min(longestPromptMs, ms.value);
    return Math.max((took * tokens.value) / ms.value, part * expected);
  }

  #learn(share: Share<Member>, prompt: number, completion: number, took: number): void {
    // One that no model server had says nothing of answers.
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
