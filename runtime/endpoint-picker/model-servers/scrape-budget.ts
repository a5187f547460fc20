/** Share of a core that all scrapes of a process may take, and the part of it that servers without requests never get. */
const budget = { total: 0.25, ofBusy: 0.75 };

/** Milliseconds of a core for the HTTP request of a scrape: 0.5 of a core for 9,700 scrapes a second. */
const requestMs = 0.05;

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

  /** A server is read from now on (1), or no more (-1). */
  count(servers: 1 | -1, busy: 0 | 1): void {
    this.#servers += servers;
    this.#busy += servers * busy;
  }

  /** A server got requests (1), or has none any more (-1). */
  turned(busy: 1 | -1): void {
    this.#busy += busy;
  }

  /** A page was read in a time. */
  read(pageMs: number): void {
    this.#pageMs += newest * (pageMs - this.#pageMs);
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
