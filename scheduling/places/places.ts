import type { LiveState, ModelServerMetrics } from "../endpoint.ts";
import { Ended } from "./ended.ts";
import { stepsForPlace, WaitedSteps } from "./waited-steps.ts";

/**
 * Prompt tokens at a server from which others wait for them to be computed, and not for a place. First tokens of short prompts may just
 * be seen late.
 */
export const longPrompts = 1_024;

/** Model servers by what places they have for requests, as far as metrics have shown it. */
export class Places {
  readonly #servers = new Map<LiveState, PlacesOfServer>();

  /** A server's metrics were read. Writes `mostRequests` and `msUntilPlace`. */
  settle(live: LiveState): void {
    const { metrics } = live;
    if (metrics === undefined) return;
    let server = this.#servers.get(live);
    if (server === undefined) {
      server = new PlacesOfServer();
      this.#servers.set(live, server);
    }
    server.read(metrics, live);
    live.mostRequests = metrics.maxRunningRequests ?? server.most;
    live.msUntilPlace = server.ended.msUntilNext(metrics.at);
  }

  /** Forgets servers that are not among these. */
  retain(servers: ReadonlySet<LiveState>): void {
    for (const live of this.#servers.keys()) if (!servers.has(live)) this.#servers.delete(live);
  }
}

/** How many requests a server works on at once: as many as ran when another one waited, or more that ran since. */
class PlacesOfServer {
  most = Number.POSITIVE_INFINITY;
  readonly ended = new Ended();
  readonly #waited = new WaitedSteps();

  read(metrics: ModelServerMetrics, live: LiveState): void {
    const ended = live.sentRequests - live.runningRequests;
    this.ended.read(ended, metrics.at);
    if (!metrics.tellsRequests) return;
    const { steps, atOnce } = this.#waited.read(metrics, ended, !waitForPlaces(live));
    if (steps >= stepsForPlace) this.most = Math.max(1, atOnce);
    else if (metrics.runningRequests > this.most) this.most = metrics.runningRequests;
  }
}

/** Whether requests that wait at a server wait for a place: there is hardly a prompt to compute. */
export const waitForPlaces = ({ runningTokens, computedTokens, othersTokens }: LiveState) =>
  runningTokens - computedTokens + othersTokens < longPrompts;
