import { setTimeout as sleep } from "node:timers/promises";
import type { LoadReport, Tally } from "./load-report.ts";

/** When requests start and when a load ends. */
export interface Arrivals {
  /** Concurrent requests; a new one starts when one ends. Used if there is no rate. */
  inFlight: number;
  /** Requests a second, however many are under way. */
  rate: number | undefined;
  /** Measured time. */
  seconds: number;
  /** Time before it, not measured. */
  warmUpSeconds: number;
  /** Number of measured requests after which the run ends early. */
  requests?: number | undefined;
}

/** Result of a request: a success if no field is set. */
export interface Outcome {
  /** Error of the request. */
  failure?: string | undefined;
  /** The client cancelled, as the load requires. */
  cancelled?: boolean;
}

/** Starts one request; calls `ended` once, when it is over. `due` is when it should have started. */
export type StartRequest = (index: number, due: number, ended: (outcome: Outcome) => void) => void;

/**
 * Runs requests as `arrivals` say and answers the tally's report. Requests that are under way at the end count not.
 * @param onMeasuring called when the warm-up is over
 */
export async function runLoad(
  arrivals: Arrivals,
  tally: Tally,
  start: StartRequest,
  onMeasuring: () => void = () => {},
): Promise<LoadReport> {
  const { inFlight, rate, seconds, warmUpSeconds, requests = Number.POSITIVE_INFINITY } = arrivals;
  let reached = () => {};
  const limit = new Promise<void>((resolve) => {
    reached = resolve;
  });
  let index = 0;
  let phase: "warm-up" | "measuring" | "over" = "warm-up";
  const startNext = (due: number) => {
    // A request does not start inside the end callback of the one before: that callback may run while the earlier
    // request is still being started.
    start(index++, due, (outcome) => setImmediate(onEnd, outcome));
  };
  const onEnd = (outcome: Outcome) => {
    if (phase === "over") return;
    tally.count(outcome);
    if (phase === "measuring" && tally.ended >= requests) {
      phase = "over";
      reached();
    } else if (rate === undefined) startNext(performance.now());
  };
  const measure = () => {
    tally.restart();
    phase = "measuring";
    onMeasuring();
  };
  // Called before the first request, so that a stall of the machine between them does not count as measured time.
  if (warmUpSeconds === 0) measure();
  const timer = rate === undefined ? undefined : startAtRate(rate, startNext);
  if (rate === undefined) {
    for (let count = 0; count < inFlight; count += 1) startNext(performance.now());
  }
  if (warmUpSeconds > 0) {
    await sleep(warmUpSeconds * 1000);
    measure();
  }
  await Promise.race([sleep(seconds * 1000, undefined, { ref: false }), limit]);
  phase = "over";
  clearInterval(timer);
  return tally.report();
}

/** Requests that a late timer missed start at once, their due time being the one that they missed. */
function startAtRate(rate: number, startNext: (due: number) => void): NodeJS.Timeout {
  const interval = 1000 / rate;
  let due = performance.now();
  return setInterval(() => {
    for (const now = performance.now(); due <= now; due += interval) startNext(due);
  }, 1);
}
