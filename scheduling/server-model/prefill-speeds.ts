import type { LiveState } from "../endpoints/endpoint.ts";
import { constants } from "../load-constants.ts";
import { FirstTokenDelays, type LoneAnswer } from "./first-token-delays.ts";

const { assumedMsPerToken, assumedTokens, inARow, retryMs, speedMemory } = constants;
const { speedSample, stepTokens, unequal, unreadMs, usualStepMs } = constants;

/** Prompt tokens that were computed, and the time that this took, in ms. */
interface Seen {
  readonly tokens: number;
  readonly ms: number;
}

const nothing: Seen = { tokens: 0, ms: 0 };

/** Prompt tokens that this picker sent to a server, and the external ones as far as they are known. */
type PromptTokens = Pick<LiveState, "sentTokens" | "runningTokens"> &
  Partial<Pick<LiveState, "externalTokens">>;

/** Prompt tokens of this picker at a server when its metrics were read. */
interface PromptsAt {
  /** Time of the reading, in ms. */
  readonly at: number;
  /** Tokens that the server had computed so far. */
  readonly computed: number;
  /** Tokens that it still had to compute. */
  readonly ahead: number;
  /** Share of this picker's tokens in all tokens that the server had to compute, from 0 to 1. */
  readonly share: number;
}

/**
 * Measures how fast a model server computes prompts, from the prompts sent there whose responses have begun. Only time
 * in which the server has prompts to compute counts, and it counts once for all of them: a request that waits behind
 * others does not make a server slow. The time counts together with the tokens, when a response begins; otherwise a
 * server would look slow while it computes a document. While the server also computes other pickers' prompts, only this
 * picker's share of the time counts.
 */
export class PrefillSpeed {
  /** All measured tokens and their time. The most recent tokens count most. */
  seen = nothing;
  /** Latest responses in a row that began in less than half of the time that the measured speed predicts. */
  #faster = 0;
  /** Time of the latest other response or measurement, or of a later retry, in ms. */
  #slowAt = Number.NEGATIVE_INFINITY;
  #isRetried = false;
  /** Time spent on prompts whose responses have not begun, in ms. */
  #begun = 0;
  #last: PromptsAt | undefined;

  /** Updates the measurement from a reading of the server's metrics. */
  read(at: number, live: PromptTokens): void {
    const last = this.#last;
    const ahead = live.runningTokens;
    const computed = live.sentTokens - ahead;
    const share = ahead === 0 ? 1 : ahead / (ahead + (live.externalTokens ?? 0));
    this.#last = { at, computed, ahead, share };
    if (last === undefined || last.ahead < stepTokens || at - last.at > unreadMs) {
      this.#begun = 0;
      return;
    }
    this.#begun += last.share * (at - last.at);
    const tokens = Math.max(0, computed - last.computed);
    if (tokens === 0) return;
    const kept = speedMemory / (speedMemory + tokens);
    const { seen } = this;
    this.seen = { tokens: kept * (seen.tokens + tokens), ms: kept * (seen.ms + this.#begun) };
    this.#begun = 0;
    if (this.#faster === 0) this.#slowAt = at;
  }

  /**
   * Whether a slow server may get a request again: it is idle and shows no slow response or retry for `retryMs`.
   * Without a request, no response could show that it has recovered.
   */
  isRetried(at: number, { runningRequests }: Pick<LiveState, "runningRequests">): boolean {
    if (this.#isRetried && runningRequests > 0) this.#slowAt = at;
    this.#isRetried = runningRequests === 0 && at - this.#slowAt > retryMs;
    return this.#isRetried;
  }

  /** Records a response of a slow server. Returns whether the server has recovered. */
  hasRecovered(at: number, isFaster: boolean): boolean {
    this.#faster = isFaster ? this.#faster + 1 : 0;
    this.#slowAt = isFaster ? Number.NEGATIVE_INFINITY : at;
    return this.#faster >= inARow;
  }
}

/**
 * Returns the time in which servers compute a prompt token, in ms. It combines the measured tokens of all servers,
 * which are most likely equal, with `assumedTokens` tokens at the assumed speed.
 */
export const msPerToken = ({ tokens, ms }: Seen): number =>
  (assumedTokens * assumedMsPerToken + ms) / (assumedTokens + tokens);

/**
 * Measures how fast the model servers of a pool compute prompts, and which of them are slower than the others, for
 * example because of an older GPU or other work on it. The measurement uses prompts whose responses have begun. If
 * servers have few tokens to compute, it uses the delay of their first tokens.
 */
export class PrefillSpeeds {
  readonly #speeds = new Map<LiveState, PrefillSpeed>();
  /** Last measurement of each server with at least `speedSample` tokens. */
  readonly #believed = new Map<LiveState, Seen>();
  readonly #delays = new FirstTokenDelays<LiveState>();
  /** Sum of all measurements. */
  #seen = nothing;
  /** Sum of the measurements in `#believed`, with which each server is compared. */
  #all = nothing;

  /** Time in which a server of the pool computes a prompt token, in ms. */
  get msPerToken(): number {
    return msPerToken(this.#seen);
  }

  /** Updates the measurements from a reading of a server's metrics, and sets `live.slowness`. */
  read(live: LiveState): void {
    if (live.metrics === undefined) return;
    let speed = this.#speeds.get(live);
    if (speed === undefined) {
      speed = new PrefillSpeed();
      this.#speeds.set(live, speed);
    }
    const before = speed.seen;
    speed.read(live.metrics.at, live);
    const { seen } = speed;
    this.#seen = plus(minus(this.#seen, before), seen);
    if (seen.tokens >= speedSample) this.#believe(live, seen);
    const { at } = live.metrics;
    const bySpeed = speed.isRetried(at, live) ? 1 : slownessOf(seen, minus(this.#all, seen));
    const byDelay = this.#isRetried(live, at)
      ? 1
      : this.#delays.slownessOf(live, at, this.msPerToken);
    live.slowness = Math.max(bySpeed, byDelay);
  }

  /**
   * Whether a slow server may get a request again: it is idle and has not responded for `retryMs`. Without a
   * request, no response could show that it has recovered.
   */
  #isRetried(live: LiveState, now: number): boolean {
    const lastAt = this.#delays.lastAt(live);
    return lastAt !== undefined && live.runningRequests === 0 && now - lastAt > retryMs;
  }

  /** Records the response of a request whose prompt was alone at its server. */
  began(live: LiveState, answer: LoneAnswer): void {
    if (answer.tokens <= stepTokens) this.#delays.began(live, answer);
    const speed = this.#speeds.get(live);
    if (speed === undefined) return;
    const others = minus(this.#all, speed.seen);
    const slowness = slownessOf(speed.seen, others);
    if (slowness === 1) return;
    const usualMs = usualStepMs + (answer.tokens * others.ms) / others.tokens;
    const isFaster = answer.delayMs < Math.sqrt(slowness) * usualMs;
    if (speed.hasRecovered(answer.at, isFaster)) this.#forget(live, speed);
  }

  /** Forgets servers that are not in `servers`. */
  retain(servers: ReadonlySet<LiveState>): void {
    this.#delays.retain(servers);
    for (const [live, speed] of this.#speeds) if (!servers.has(live)) this.#forget(live, speed);
  }

  #forget(live: LiveState, { seen }: PrefillSpeed): void {
    this.#believe(live, nothing);
    this.#believed.delete(live);
    this.#speeds.delete(live);
    this.#seen = minus(this.#seen, seen);
  }

  #believe(live: LiveState, seen: Seen): void {
    const others = minus(this.#all, this.#believed.get(live) ?? nothing);
    this.#all = plus(others, seen);
    this.#believed.set(live, seen);
  }
}

const plus = (one: Seen, other: Seen): Seen => ({
  tokens: one.tokens + other.tokens,
  ms: one.ms + other.ms,
});

const minus = (all: Seen, one: Seen): Seen => ({
  tokens: all.tokens - one.tokens,
  ms: all.ms - one.ms,
});

/** Returns the server's time per token as a multiple of the other servers' time; 1 if it is about equal or unknown. */
function slownessOf(own: Seen, others: Seen): number {
  if (own.tokens < speedSample || others.tokens < speedSample || others.ms <= 0) return 1;
  const slowness = own.ms / own.tokens / (others.ms / others.tokens);
  return slowness > unequal ? slowness : 1;
}
