import { FirstTokenDelay, type LoneAnswer } from "./first-token-delay.ts";

/** A server that takes no more than so many times as long is as fast as the others: with more answers to write, steps are longer. */
const alike = 1.5;

/** Milliseconds after which servers are compared anew. */
const comparedEvery = 1_000;

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
    if (now - this.#comparedAt >= comparedEvery) {
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
    if (median * others > alike) slow.set(server, median * others);
  }
  return slow;
}
