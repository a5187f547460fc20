import type { LiveState } from "./endpoint.ts";
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
 * other work. Seen from what was sent there and whose answers have begun.
 */
export class PrefillSpeeds {
  readonly #speeds = new Map<LiveState, PrefillSpeed>();
  readonly #believed = new Map<LiveState, Seen>();
  /** The sum of all that is believed. */
  #all = nothing;
  #msPerToken: number | undefined;

  /** Milliseconds in which a server of the pool computes a prompt token, as far as it is known. */
  get msPerToken(): number {
    this.#msPerToken ??= msPerToken([...this.#speeds.values()]);
    return this.#msPerToken;
  }

  /** A server's metrics were read. */
  read(live: LiveState): void {
    if (live.metrics === undefined) return;
    let speed = this.#speeds.get(live);
    if (speed === undefined) {
      speed = new PrefillSpeed();
      this.#speeds.set(live, speed);
    }
    speed.read(live.metrics.at, live);
    this.#msPerToken = undefined;
    const { seen } = speed;
    if (seen.tokens < fewest) return;
    this.#believe(live, seen);
    live.slowness = slownessOf(seen, minus(this.#all, seen));
  }

  /** Forgets servers that are gone. */
  retain(servers: ReadonlySet<LiveState>): void {
    for (const live of this.#speeds.keys()) {
      if (servers.has(live)) continue;
      this.#believe(live, nothing);
      this.#believed.delete(live);
      this.#speeds.delete(live);
      this.#msPerToken = undefined;
    }
  }

  #believe(live: LiveState, seen: Seen): void {
    const others = minus(this.#all, this.#believed.get(live) ?? nothing);
    this.#all = { tokens: others.tokens + seen.tokens, ms: others.ms + seen.ms };
    this.#believed.set(live, seen);
  }
}

const minus = (all: Seen, one: Seen): Seen => ({
  tokens: all.tokens - one.tokens,
  ms: all.ms - one.ms,
});

/** How much longer a server takes for a token than the others together. */
function slownessOf(own: Seen, others: Seen): number {
  if (others.tokens < fewest || others.ms <= 0) return 1;
  const slowness = own.ms / own.tokens / (others.ms / others.tokens);
  return slowness > alike ? Math.min(slowest, slowness) : 1;
}
