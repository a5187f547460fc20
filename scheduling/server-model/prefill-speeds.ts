import type { LiveState } from "../endpoint.ts";
import { type LoneAnswer, retryAfterMs } from "./first-token-delay.ts";
import { FirstTokenDelays } from "./first-token-delays.ts";
import { msPerToken, PrefillSpeed } from "./prefill-speed.ts";

/** Prompt tokens that a server must have been seen to compute before its speed is believed. */
const fewest = 16_384;

/** A server that is slower by no more than this factor is as fast as the others: what is seen is rough. */
const alike = 1.25;

/** No server is taken for slower than this. */
const slowest = 8;

/** What was seen of a server, as far as it is believed. */
interface Seen {
  readonly tokens: number;
  readonly ms: number;
}

const nothing: Seen = { tokens: 0, ms: 0 };

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
    return msPerToken([{ seen: this.#seen }]);
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
    if (seen.tokens >= fewest) this.#believe(live, seen);
    const bySpeed = slownessOf(seen, minus(this.#all, seen));
    const { at } = live.metrics;
    const byDelay = this.#isRetried(live, at)
      ? 1
      : this.#delays.slownessOf(live, at, this.msPerToken);
    live.slowness = Math.min(slowest, Math.max(bySpeed, byDelay));
  }

  /** An idle server that has answered nothing for some time is tried again: slow servers get no requests that show they recovered. */
  #isRetried(live: LiveState, now: number): boolean {
    const lastAt = this.#delays.lastAt(live);
    return lastAt !== undefined && live.runningRequests === 0 && now - lastAt > retryAfterMs;
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
  if (own.tokens < fewest || others.tokens < fewest || others.ms <= 0) return 1;
  const slowness = own.ms / own.tokens / (others.ms / others.tokens);
  return slowness > alike ? slowness : 1;
}
