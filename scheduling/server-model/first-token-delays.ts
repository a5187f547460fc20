import { constants } from "../load-constants.ts";

const { fewestSamples, recentSamples, recheckMs, retryMs, unequal, usualStepMs } = constants;

/**
 * A response whose prompt was alone at its server: no other prompt was there when the request was sent, and none
 * followed before the first token. Its delay therefore shows the server's speed.
 */
export interface LoneAnswer {
  /** Time of the first token, in ms. */
  readonly at: number;
  /** Time from the request to the first token, in ms. */
  readonly delayMs: number;
  /** Uncached prompt tokens. */
  readonly tokens: number;
}

/**
 * Time that a model server takes for the first token of a short prompt, as a multiple of the usual time (`usualStepMs`
 * plus the time to compute the prompt). It is the median of the most recent responses, so that a lost prefix or one
 * long step does not count.
 */
export class FirstTokenDelay {
  readonly #answers: LoneAnswer[] = [];
  #next = 0;
  #lastAt = Number.NEGATIVE_INFINITY;

  /** Time of the most recent response, in ms. */
  get lastAt(): number {
    return this.#lastAt;
  }

  add(answer: LoneAnswer): void {
    if (this.#isFasterNow(answer)) this.#clear();
    this.#lastAt = answer.at;
    this.#answers[this.#next] = answer;
    this.#next = (this.#next + 1) % recentSamples;
  }

  /**
   * Returns the median multiple; undefined if there are too few responses.
   *
   * @param msPerToken time in which servers of the pool compute a prompt token, in ms
   */
  median(msPerToken: number): number | undefined {
    if (this.#answers.length < fewestSamples) return undefined;
    const multiples = this.#answers.map(
      ({ delayMs, tokens }) => delayMs / (usualStepMs + tokens * msPerToken),
    );
    return medianOf(multiples);
  }

  /**
   * Whether the first response after a retry took less than half of the median delay so far: the server was slow and
   * has recovered.
   */
  #isFasterNow({ at, delayMs }: LoneAnswer): boolean {
    if (at - this.#lastAt <= retryMs) return false;
    return 2 * delayMs < medianOf(this.#answers.map((each) => each.delayMs));
  }

  #clear(): void {
    this.#answers.length = 0;
    this.#next = 0;
  }
}

/**
 * Finds the servers of a pool that take longer than the others for a first token. This detects slow servers if most
 * prefixes are cached: no server then computes enough tokens to measure its prefill speed.
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
   * Returns the server's delay as a multiple of the other servers' mean; 1 if it is about equal or unknown.
   *
   * @param msPerToken time in which servers of the pool compute a prompt token, in ms
   */
  slownessOf(server: Server, now: number, msPerToken: number): number {
    if (now - this.#comparedAt >= recheckMs) {
      this.#comparedAt = now;
      this.#slowness = compared(this.#delays, msPerToken);
    }
    return this.#slowness.get(server) ?? 1;
  }

  /** Time of the server's most recent lone response, in ms; undefined if there was none. */
  lastAt(server: Server): number | undefined {
    return this.#delays.get(server)?.lastAt;
  }

  /** Forgets servers that are not in `servers`, including any whose response began after it left. */
  retain(servers: ReadonlySet<Server>): void {
    for (const server of this.#delays.keys()) if (!servers.has(server)) this.#delays.delete(server);
  }
}

/** Returns the slowness of the slow servers only. */
function compared<Server>(
  delays: ReadonlyMap<Server, FirstTokenDelay>,
  msPerToken: number,
): Map<Server, number> {
  const medians = new Map<Server, number>();
  /** Sum of the servers' speeds. A speed is 1 divided by the median. */
  let speed = 0;
  for (const [server, delay] of delays) {
    const median = delay.median(msPerToken);
    if (median === undefined || median <= 0) continue;
    medians.set(server, median);
    speed += 1 / median;
  }
  const slow = new Map<Server, number>();
  for (const [server, median] of medians) {
    const others = (speed - 1 / median) / (medians.size - 1);
    if (median * others > unequal) slow.set(server, median * others);
  }
  return slow;
}

/** Returns 0 for an empty list. */
const medianOf = (values: readonly number[]): number =>
  Float64Array.from(values).sort()[values.length >> 1] ?? 0;
