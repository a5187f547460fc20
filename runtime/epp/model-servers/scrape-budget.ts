import { limits } from "../../limits.ts";

/** Share of a core that all scrapes of a process may take, and the part of it that servers without requests never get. */
const budget = { total: limits.scrapeTime.value / 1_000, ofBusy: 0.75 };

/** Milliseconds of a core for the HTTP request of a scrape: 0.5 of a core for 9,700 scrapes a second. */
const requestMs = 0.05;

/** Milliseconds of a core to open a connection and to end it. */
const connectMs = 0.25;

/** Milliseconds between two scrapes of an idle server, at most: its metrics count for 2,000 ms. */
const longestIdleMs = 1_500;

/** Weight of the newest page in the mean cost. */
const newest = 0.05;

/**
 * Divides one budget of CPU time among the scrapes of all servers. As long as it is enough, each server is read in the
 * configured interval. Beyond that servers with requests are read as often as their part of the budget allows, and idle
 * ones share the rest.
 */
export class ScrapeBudget {
  #pageMs = 0;
  #servers = 0;
  #busy = 0;
  readonly #due: Array<() => void> = [];

  /** Starts a scrape, a few in each turn of the event loop: those that are due after a busy time do not hold up requests. */
  start(scrape: () => void): void {
    if (this.#due.push(scrape) === 1) setImmediate(this.#startDue);
  }

  readonly #startDue = () => {
    for (const scrape of this.#due.splice(0, limits.scrapeStarts.value)) scrape();
    if (this.#due.length > 0) setImmediate(this.#startDue);
  };

  /** A server is read from now on (1), or no more (-1). */
  count(servers: 1 | -1, busy: 0 | 1): void {
    this.#servers += servers;
    this.#busy += servers * busy;
  }

  /** A server got requests (1), or has none any more (-1). */
  turned(busy: 1 | -1): void {
    this.#busy += busy;
  }

  /** A page was read in a time, over a connection that was open or is new. */
  read(pageMs: number, wasOpen: boolean): void {
    const costMs = pageMs + (wasOpen ? 0 : connectMs);
    this.#pageMs += newest * (costMs - this.#pageMs);
  }

  /** Milliseconds from one scrape of a server to its next. */
  intervalMs(configuredMs: number, isBusy: boolean): number {
    const cost = requestMs + this.#pageMs;
    const ofBusy = Math.max(configuredMs, (this.#busy * cost) / (budget.total * budget.ofBusy));
    if (isBusy) return ofBusy;
    const rest = budget.total - (this.#busy * cost) / ofBusy;
    const ofIdle = ((this.#servers - this.#busy) * cost) / rest;
    return Math.max(configuredMs, Math.min(longestIdleMs, ofIdle));
  }
}
