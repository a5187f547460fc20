/** New prompt tokens up to which a prompt is computed in one step or two, beside what else the server does. */
export const shortPrompt = 512;

/** Milliseconds that a first token takes besides its prompt: a server's step, and the end of the one before. */
const usualStepMs = 20;

/** Newest answers of a server that count. */
const counted = 64;

/** A server has to give so many answers before its delay is believed. */
const fewest = 16;

/** Milliseconds after which the last answer of a server says nothing of it: what it does now has to be seen anew. */
const staleAfterMs = 60_000;

/**
 * Milliseconds without an answer after which a slow server is tried again. A server that recovers gets its share within 10 s
 * (`slow` of `npm run bench:faults`), and one that stays slow gets about one request in this time.
 */
export const retryAfterMs = 4_000;

/** The answer to a request that found no other prompt at its server, and that none followed before the answer began. */
export interface LoneAnswer {
  /** When it began, milliseconds. */
  readonly at: number;
  /** Milliseconds from the request to it. */
  readonly delayMs: number;
  /** New prompt tokens, at most `shortPrompt`. */
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
    this.#next = (this.#next + 1) % counted;
  }

  /**
   * Undefined where too few answers were seen, or none of late.
   *
   * @param msPerToken milliseconds in which servers of the pool compute a prompt token
   */
  median(now: number, msPerToken: number): number | undefined {
    this.#forget(now);
    if (this.#answers.length < fewest) return undefined;
    const multiples = this.#answers.map(
      ({ delayMs, tokens }) => delayMs / (usualStepMs + tokens * msPerToken),
    );
    return medianOf(multiples);
  }

  /** Nothing, where an answer was seen of late. */
  #forget(now: number): void {
    if (now - this.#lastAt > staleAfterMs) this.#clear();
  }

  /** Whether the first answer after a retry took less than half of the time usual before: the server was slow, and is not now. */
  #isFasterNow({ at, delayMs }: LoneAnswer): boolean {
    if (at - this.#lastAt <= retryAfterMs) return false;
    return 2 * delayMs < medianOf(this.#answers.map((each) => each.delayMs));
  }

  #clear(): void {
    this.#answers.length = 0;
    this.#next = 0;
  }
}

/** 0 for none. */
const medianOf = (values: readonly number[]): number =>
  Float64Array.from(values).sort()[values.length >> 1] ?? 0;
