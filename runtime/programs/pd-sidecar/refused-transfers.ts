import type { Log } from "../../manager/log.ts";

/** Shortest time between two lines, in ms. A prefiller of another version may cause one per request. */
const intervalMs = 60_000;
/** Longest logged name of a field, in characters. */
const longestName = 100;

/** Logs which field of a prefiller's transfer object was refused, once per minute, with the number of refusals. */
export class RefusedTransfers {
  readonly #log: Log;
  readonly #now: () => number;
  #last = Number.NEGATIVE_INFINITY;
  #refusals = 0;

  /** @param now time in ms */
  constructor(log: Log, now: () => number) {
    this.#log = log;
    this.#now = now;
  }

  add(prefiller: string, field: string): void {
    this.#refusals += 1;
    if (this.#now() - this.#last < intervalMs) return;
    this.#last = this.#now();
    const refusals = this.#refusals;
    this.#refusals = 0;
    this.#log.warn("transfer refused", { prefiller, field: field.slice(0, longestName), refusals });
  }
}
