import type { LiveState } from "../endpoint.ts";
import { constants } from "../load-constants.ts";
import { FirstTokenDelays, type LoneAnswer } from "./first-token-delays.ts";

const { assumedMsPerToken, assumedTokens, fullStepTokens, highestSlowness } = constants;
const { slowRetryMs, speedMemory, speedSample, unequalSpeed, unreadMs } = constants;

/** Prompt tokens that were computed, and the milliseconds in which they were. */
interface Seen {
  readonly tokens: number;
  readonly ms: number;
}

const nothing: Seen = { tokens: 0, ms: 0 };

/** What this picker sent to a server, and what others did as far as is known. */
type PromptTokens = Pick<LiveState, "sentTokens" | "runningTokens"> &
  Partial<Pick<LiveState, "externalTokens">>;

/** Prompt tokens at a server when its metrics were read. */
interface PromptsAt {
  /** Milliseconds. */
  readonly at: number;
  readonly computed: number;
  readonly ahead: number;
  /** Part of them that this picker sent, as far as is known. */
  readonly share: number;
}

/**
 * How fast a model server computes prompts, learnt from what was sent there and whose answers have begun. Only time counts
 * in which it has prompts to compute, and it counts once however many: a request that waits for others makes no server slow. It
 * counts when an answer begins, with the tokens: else a server would be slow as long as it computes a document.
 * Where other pickers' prompts are computed too, the time counts for these as well.
 */
export class PrefillSpeed {
  /** The newest tokens count most. */
  seen = nothing;
  /** Milliseconds of work on prompts whose answers have not begun. */
  #begun = 0;
  #last: PromptsAt | undefined;

  /** The server's metrics were read. */
  read(at: number, live: PromptTokens): void {
    const last = this.#last;
    const ahead = live.runningTokens;
    const computed = live.sentTokens - ahead;
    const share = ahead === 0 ? 1 : ahead / (ahead + (live.externalTokens ?? 0));
    this.#last = { at, computed, ahead, share };
    if (last === undefined || last.ahead < fullStepTokens || at - last.at > unreadMs) {
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
  }
}

/** Returns the milliseconds in which servers compute a prompt token, by all that was seen of them: most likely they are alike. */
export const msPerToken = ({ tokens, ms }: Seen): number =>
  (assumedTokens * assumedMsPerToken + ms) / (assumedTokens + tokens);

/**
 * How fast the model servers of a pool compute prompts, and which of them are slower than the others: on older GPUs, or beside
 * other work. Seen from what was sent there and whose answers have begun; where there is little to compute, from how long these
 * take.
 */
export class PrefillSpeeds {
  readonly #speeds = new Map<LiveState, PrefillSpeed>();
  readonly #believed = new Map<LiveState, Seen>();
  readonly #delays = new FirstTokenDelays<LiveState>();
  /** The sum of all that was seen. */
  #seen = nothing;
  /** The sum of all that is believed. */
  #all = nothing;

  /** Milliseconds in which a server of the pool computes a prompt token, as far as it is known. */
  get msPerToken(): number {
    return msPerToken(this.#seen);
  }

  /** A server's metrics were read. */
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
    const bySpeed = slownessOf(seen, minus(this.#all, seen));
    const { at } = live.metrics;
    const byDelay = this.#isRetried(live, at)
      ? 1
      : this.#delays.slownessOf(live, at, this.msPerToken);
    live.slowness = Math.min(highestSlowness, Math.max(bySpeed, byDelay));
  }

  /** An idle server that has answered nothing for some time is tried again: slow servers get no requests that show they recovered. */
  #isRetried(live: LiveState, now: number): boolean {
    const lastAt = this.#delays.lastAt(live);
    return lastAt !== undefined && live.runningRequests === 0 && now - lastAt > slowRetryMs;
  }

  /** An answer began whose request was alone with its prompt. */
  began(live: LiveState, answer: LoneAnswer): void {
    this.#delays.began(live, answer);
  }

  /** Forgets servers that are gone. */
  retain(servers: ReadonlySet<LiveState>): void {
    this.#delays.retain(servers);
    for (const [live, { seen }] of this.#speeds) {
      if (servers.has(live)) continue;
      this.#believe(live, nothing);
      this.#believed.delete(live);
      this.#speeds.delete(live);
      this.#seen = minus(this.#seen, seen);
    }
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

/** How much longer a server takes for a token than the others together. */
function slownessOf(own: Seen, others: Seen): number {
  if (own.tokens < speedSample || others.tokens < speedSample || others.ms <= 0) return 1;
  const slowness = own.ms / own.tokens / (others.ms / others.tokens);
  return slowness > unequalSpeed ? slowness : 1;
}
