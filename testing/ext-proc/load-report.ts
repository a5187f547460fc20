import type { Outcome } from "./arrivals.ts";

/** The last line that a load driver prints, as JSON. */
export interface LoadReport {
  /** Requests that ended well within the measured time. */
  requests: number;
  cancelled: number;
  /** Failed requests by error. */
  failures: Record<string, number>;
  seconds: number;
  requestsPerSecond: number;
  /** Milliseconds; to the reply with the endpoint, or to the response's end of an HTTP request. */
  latency: { p50: number; p90: number; p99: number; max: number };
}

/** Counts of a load, from the end of the warm-up. */
export class Tally {
  #latencies: number[] = [];
  #requests = 0;
  #cancelled = 0;
  #failures: Record<string, number> = {};
  #ended = 0;
  #started = performance.now();

  /** Forgets everything so far. */
  restart(): void {
    this.#latencies = [];
    this.#requests = 0;
    this.#cancelled = 0;
    this.#failures = {};
    this.#ended = 0;
    this.#started = performance.now();
  }

  latency(milliseconds: number): void {
    this.#latencies.push(milliseconds);
  }

  count({ failure, cancelled = false }: Outcome): void {
    if (failure !== undefined) this.#failures[failure] = (this.#failures[failure] ?? 0) + 1;
    else if (cancelled) this.#cancelled += 1;
    else this.#requests += 1;
    this.#ended += 1;
  }

  /** Requests that ended, however that was. */
  get ended(): number {
    return this.#ended;
  }

  report(): LoadReport {
    const seconds = (performance.now() - this.#started) / 1000;
    const sorted = Float64Array.from(this.#latencies).sort();
    const quantile = (share: number) =>
      round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN);
    return {
      requests: this.#requests,
      cancelled: this.#cancelled,
      failures: this.#failures,
      seconds: round(seconds),
      requestsPerSecond: round(this.#requests / seconds),
      latency: { p50: quantile(0.5), p90: quantile(0.9), p99: quantile(0.99), max: quantile(1) },
    };
  }
}

const round = (value: number) => Math.round(value * 1000) / 1000;
