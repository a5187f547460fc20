import { constants } from "../load-constants.ts";

const { delayComparisonMs, delayMemoryMs, delaySamples, fewestDelays } = constants;
const { slowRetryMs, unequalDelay, usualStepMs } = constants;

/** The answer to a request that found no other prompt at its server, and that none followed before the answer began. */
export interface LoneAnswer {
  /** When it began, milliseconds. */
  readonly at: number;
  /** Milliseconds from the request to it. */
  readonly delayMs: number;
  /** New prompt tokens, at most `delayPrompt`. */
  readonly tokens: number;
}

/**
 * How long a model server takes for the first token of a short prompt, as a multiple of what is usual: the median of the
 * newest answers, so that a prefix which it no longer has, or one long step, does not count.
 */
export class FirstTokenDelay {
  readonly #answers: LoneAnswer[] = [];
  #next = 0;
  #lastAt = Number.NEGATIVE_INFINITY;

  /** Time of the newest answer, in ms. */
  get lastAt(): number {
    return this.#lastAt;
  }

  add(answer: LoneAnswer): void {
    this.#forget(answer.at);
    if (this.#isFasterNow(answer)) this.#clear();
    this.#lastAt = answer.at;
    this.#answers[this.#next] = answer;
    this.#next = (this.#next + 1) % delaySamples;
  }

  /**
   * Undefined where too few answers were seen, or none of late.
   *
   * @param msPerToken milliseconds in which servers of the pool compute a prompt token
   */
  median(now: number, msPerToken: number): number | undefined {
    this.#forget(now);
    if (this.#answers.length < fewestDelays) return undefined;
    const multiples = this.#answers.map(
      ({ delayMs, tokens }) => delayMs / (usualStepMs + tokens * msPerToken),
    );
    return medianOf(multiples);
  }

  /** Nothing, where an answer was seen of late. */
  #forget(now: number): void {
    if (now - this.#lastAt > delayMemoryMs) this.#clear();
  }

  /** Whether the first answer after a retry took less than half of the time usual before: the server was slow, and is not now. */
  #isFasterNow({ at, delayMs }: LoneAnswer): boolean {
    if (at - this.#lastAt <= slowRetryMs) return false;
    return 2 * delayMs < medianOf(this.#answers.map((each) => each.delayMs));
  }

  #clear(): void {
    this.#answers.length = 0;
    this.#next = 0;
  }
}

/**
 * Which servers of a pool take longer than the others for a first token. This shows a slow server where prefixes are cached:
 * there no server ever has so many tokens to compute that its speed could be told.
 */
export class FirstTokenDelays<Server> {
  readonly #delays = new Map<Server, FirstTokenDelay>();
  #slowness: ReadonlyMap<Server, number> = new Map();
  #comparedAt = Number.NEGATIVE_INFINITY;

  began(server: Server, answer: LoneAnswer): void {
    let delay = this.#delays.get(server);
    if (delay === undefined) {
      delay = new FirstTokenDelay();
      this.#delays.set(server, delay);
    }
    delay.add(answer);
  }

  /**
   * How much longer a server takes than the others do on average: 1 where it takes about as long, or nobody knows.
   *
   * @param msPerToken milliseconds in which servers of the pool compute a prompt token
   */
  slownessOf(server: Server, now: number, msPerToken: number): number {
    if (now - this.#comparedAt >= delayComparisonMs) {
      this.#comparedAt = now;
      this.#slowness = compared(this.#delays, now, msPerToken);
    }
    return this.#slowness.get(server) ?? 1;
  }

  /** Time of the server's newest answer that counts, in ms; undefined if there was none. */
  lastAt(server: Server): number | undefined {
    return this.#delays.get(server)?.lastAt;
  }

  /** Forgets servers that are not among these, also those of which an answer began when they were gone. */
  retain(servers: ReadonlySet<Server>): void {
    for (const server of this.#delays.keys()) if (!servers.has(server)) this.#delays.delete(server);
  }
}

/** The slow ones alone. */
function compared<Server>(
  delays: ReadonlyMap<Server, FirstTokenDelay>,
  now: number,
  msPerToken: number,
): Map<Server, number> {
  const medians = new Map<Server, number>();
  /** How fast the servers are together. */
  let speed = 0;
  for (const [server, delay] of delays) {
    const median = delay.median(now, msPerToken);
    if (median === undefined || median <= 0) continue;
    medians.set(server, median);
    speed += 1 / median;
  }
  const slow = new Map<Server, number>();
  for (const [server, median] of medians) {
    const others = (speed - 1 / median) / (medians.size - 1);
    if (median * others > unequalDelay) slow.set(server, median * others);
  }
  return slow;
}

/** 0 for none. */
const medianOf = (values: readonly number[]): number =>
  Float64Array.from(values).sort()[values.length >> 1] ?? 0;
