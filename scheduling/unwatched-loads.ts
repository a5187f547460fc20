import type { LiveState } from "./endpoint.ts";

/** What a request weighs on one endpoint, until it is taken off. */
export interface EndableLoad {
  readonly live: LiveState;
  /** The prompt is worked off. */
  endPrefill(): void;
  end(): void;
}

interface Unwatched {
  readonly load: EndableLoad;
  readonly since: number;
}

interface Server {
  /** In the order in which they were sent. */
  readonly loads: Unwatched[];
  /** How many of them are not counted at the moment, since the server has fewer. */
  hidden: number;
}

/** Milliseconds for which a request counts whatever its server says: so long it is on its way through the proxy. */
export const onItsWay = 500;

/**
 * Milliseconds after which a request that its server does not have has ended. Before, it may still come: a server under
 * load takes its time to read a request, and to split the prompt into tokens.
 */
export const arrived = 10_000;

/**
 * Loads of requests whose responses nobody watches. Their end is not seen, so the model server's own count tells it: what
 * counts is the lower of what this picker sent and what the server has, plus what is on its way. Of requests that the
 * server does not have the oldest have ended.
 */
export class UnwatchedLoads {
  readonly #servers = new Map<LiveState, Server>();

  add(load: EndableLoad, now: number): void {
    const known = this.#servers.get(load.live);
    if (known !== undefined) known.loads.push({ load, since: now });
    else this.#servers.set(load.live, { loads: [{ load, since: now }], hidden: 0 });
  }

  /** The server's metrics were read. */
  settle(live: LiveState): void {
    const server = this.#servers.get(live);
    const { metrics } = live;
    if (server === undefined || metrics === undefined) return;
    const { runningRequests, waitingRequests, at } = metrics;
    const { loads } = server;
    const watched = live.runningRequests - (loads.length - server.hidden);
    const there = Math.max(0, runningRequests + waitingRequests - watched);
    const settled = countBefore(loads, at - onItsWay);
    this.#hide(live, server, Math.max(0, settled - there));
    // The last to come are those that wait; those before them are computed, or have ended.
    const prefilled = settled - waitingRequests;
    for (let index = 0; index < prefilled; index += 1) loads[index]?.load.endPrefill();
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

  #hide(live: LiveState, server: Server, count: number): void {
    live.runningRequests += server.hidden - count;
    server.hidden = count;
  }

  /** The hidden ones first: their end changes no count. */
  #end(live: LiveState, server: Server, count: number): void {
    this.#hide(live, server, Math.max(0, server.hidden - count));
    for (const { load } of server.loads.splice(0, count)) load.end();
    if (server.loads.length === 0) this.#servers.delete(live);
  }
}

/** How many of them were sent before a time. */
function countBefore(loads: readonly Unwatched[], time: number): number {
  const young = loads.findIndex(({ since }) => since >= time);
  return young === -1 ? loads.length : young;
}
