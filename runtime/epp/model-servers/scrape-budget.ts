import { limits } from "../../limits.ts";

/** Share of a core for all scrapes of a process, and the share of that budget for servers with requests. */
const budget = { total: limits.scrapeTime.value / 1_000, ofBusy: 0.75 };

/** CPU time of the HTTP request of a scrape, in ms. Measured: 0.5 of a core for 9,700 scrapes per second. */
const requestMs = 0.05;

/** CPU time for opening and closing a connection, in ms. */
const connectMs = 0.25;

/** Longest interval between two scrapes of an idle server, in ms. Its metrics become stale after 2,000 ms. */
const longestIdleMs = 1_500;

/** Weight of the newest page in the mean cost. */
const newest = 0.05;

/**
 * Divides a budget of CPU time among the scrapes of all servers. If the budget is sufficient, each server is scraped at
 * the configured interval. Otherwise servers with requests are scraped as often as their part of the budget allows, and
 * idle servers share the rest.
 */
export class ScrapeBudget {
  #pageMs = 0;
  #servers = 0;
  #busy = 0;
  readonly #due: Array<() => void> = [];

  /**
   * Queues a scrape; a few start per turn of the event loop. Scrapes that are due after a busy time do not delay
   * requests.
   */
  start(scrape: () => void): void {
    if (this.#due.push(scrape) === 1) setImmediate(this.#startDue);
  }

  readonly #startDue = () => {
    for (const scrape of this.#due.splice(0, limits.scrapeStarts.value)) scrape();
    if (this.#due.length > 0) setImmediate(this.#startDue);
  };

  /** Adds a server (1) or removes it (-1). */
  count(servers: 1 | -1, busy: 0 | 1): void {
    this.#servers += servers;
    this.#busy += servers * busy;
  }

  /** A server became busy (1) or idle (-1). */
  turned(busy: 1 | -1): void {
    this.#busy += busy;
  }

  /** Adds the cost of a page that was read over an open or a new connection. */
  read(pageMs: number, wasOpen: boolean): void {
    const costMs = pageMs + (wasOpen ? 0 : connectMs);
    this.#pageMs += newest * (costMs - this.#pageMs);
  }

  /** Returns the interval between two scrapes of a server, in ms. */
  intervalMs(configuredMs: number, isBusy: boolean): number {
    const cost = requestMs + this.#pageMs;
    const ofBusy = Math.max(configuredMs, (this.#busy * cost) / (budget.total * budget.ofBusy));
    if (isBusy) return ofBusy;
    const rest = budget.total - (this.#busy * cost) / ofBusy;
    const ofIdle = ((this.#servers - this.#busy) * cost) / rest;
    return Math.max(configuredMs, Math.min(longestIdleMs, ofIdle));
  }
}
