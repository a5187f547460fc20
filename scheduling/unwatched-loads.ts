import type { LiveState } from "./endpoint.ts";

/** The load of a request on one endpoint, until it ends. */
export interface EndableLoad {
  readonly live: LiveState;
  /** Tokens that the server had to work out when it came. */
  readonly promptTokens: number;
  /** The prefill is done. */
  endPrefill(): void;
  /** The server's metrics of this time are the first that count its answer. */
  toldBegan(at: number): void;
  end(): void;
}

interface Unwatched {
  readonly load: EndableLoad;
  readonly since: number;
  isPrefilled: boolean;
}

interface Server {
  /** In the order in which they were sent. */
  readonly loads: Unwatched[];
  /** How many of them are not counted at the moment, since the server has fewer. */
  hidden: number;
  /** Number of answers that had begun when the metrics were read last, as the server and as this picker counted. */
  began: Began;
  /** Number of begun answers that are not assigned to one of these requests yet; below 0 if others' are awaited. */
  credit: number;
}

interface Began {
  readonly told: number | undefined;
  readonly watched: number;
}

/** Milliseconds for which a request counts whatever its server says: so long it is on its way through the proxy. */
export const onItsWay = 500;

/**
 * Milliseconds after which a request that its server does not have has ended. Before, it may still come: a server under
 * load takes its time to read a request, and to split the prompt into tokens.
 */
export const arrived = 10_000;

/** Tokens in a millisecond that every server computes: a prompt that has had this time is worked off. */
const slowestPrefill = 1;

/**
 * Loads of requests whose responses nobody watches. Their end is not seen, so the model server's own count tells it: what
 * counts is the lower of what this picker sent and what the server has, plus what is on its way. Of requests that the
 * server does not have the oldest have ended. Prompts are worked off in the order in which they were sent, one with each
 * answer that the server says has begun, besides those that were watched.
 */
export class UnwatchedLoads {
  readonly #servers = new Map<LiveState, Server>();

  add(load: EndableLoad, now: number): void {
    const unwatched = { load, since: now, isPrefilled: false };
    const known = this.#servers.get(load.live);
    if (known !== undefined) known.loads.push(unwatched);
    else
      this.#servers.set(load.live, {
        ...{ loads: [unwatched], hidden: 0 },
        ...{ began: beganBy(load.live), credit: 0 },
      });
    load.live.unwatchedRequests += 1;
  }

  /** The server's metrics were read. */
  settle(live: LiveState): void {
    const server = this.#servers.get(live);
    const { metrics } = live;
    if (server === undefined || metrics === undefined) return;
    const { runningRequests, waitingRequests, at } = metrics;
    const { loads } = server;
    const watched = live.runningRequests - live.unwatchedRequests;
    const there = Math.max(0, runningRequests + waitingRequests - watched);
    const settled = countBefore(loads, at - onItsWay);
    this.#hide(live, server, Math.max(0, settled - there));
    this.#countBegan(live, server, there, at);
    // The last to come are those that wait; those before them are computed, or have ended.
    const taken = settled - waitingRequests;
    for (const [index, unwatched] of loads.entries())
      if (index < server.hidden || (index < taken && this.#hadTime(server, unwatched, at)))
        endPrefill(unwatched);
    this.#end(live, server, Math.min(server.hidden, countBefore(loads, at - arrived)));
  }

  /** Ends those that were sent before a time, whatever their server says. */
  expire(before: number): void {
    for (const [live, server] of this.#servers)
      this.#end(live, server, countBefore(server.loads, before));
  }

  /** Ends those on all other servers: their pods are gone. */
  retain(servers: ReadonlySet<LiveState>): void {
    for (const [live, server] of this.#servers)
      if (!servers.has(live)) this.#end(live, server, server.loads.length);
  }

  /** The server does not say how many answers began, or the prompt is worked off by any means. */
  #hadTime({ began }: Server, { load, since }: Unwatched, at: number): boolean {
    return began.told === undefined || at - since - onItsWay > load.promptTokens / slowestPrefill;
  }

  /** Works off as many prompts as answers began, the oldest first. */
  #countBegan(live: LiveState, server: Server, there: number, at: number): void {
    const before = server.began;
    const now = beganBy(live);
    server.began = now;
    if (before.told === undefined || now.told === undefined || now.told < before.told) {
      server.credit = 0;
      return;
    }
    const began = now.told - before.told - (now.watched - before.watched);
    // Some of the answers belong to requests that others sent there.
    const ours = Math.min(1, (server.loads.length - server.hidden) / Math.max(1, there));
    server.credit += began * ours;
    for (const unwatched of server.loads) {
      if (server.credit < 1) return;
      if (unwatched.isPrefilled) continue;
      unwatched.load.toldBegan(at);
      endPrefill(unwatched);
      server.credit -= 1;
    }
    server.credit = Math.min(server.credit, 0);
  }

  #hide(live: LiveState, server: Server, count: number): void {
    live.runningRequests += server.hidden - count;
    live.unwatchedRequests += server.hidden - count;
    server.hidden = count;
  }

  /** The hidden ones first: their end changes no count. */
  #end(live: LiveState, server: Server, count: number): void {
    this.#hide(live, server, Math.max(0, server.hidden - count));
    for (const { load } of server.loads.splice(0, count)) load.end();
    live.unwatchedRequests = server.loads.length - server.hidden;
    if (server.loads.length === 0) this.#servers.delete(live);
  }
}

const beganBy = ({ metrics, firstTokens }: LiveState): Began => ({
  told: metrics?.firstTokens,
  watched: firstTokens,
});

function endPrefill(unwatched: Unwatched): void {
  unwatched.isPrefilled = true;
  unwatched.load.endPrefill();
}

/** How many of them were sent before a time. */
function countBefore(loads: readonly Unwatched[], time: number): number {
  const young = loads.findIndex(({ since }) => since >= time);
  return young === -1 ? loads.length : young;
}
