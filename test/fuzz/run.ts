import fc from "fast-check";
import type { Target } from "./targets.ts";

export interface FuzzOptions {
  readonly seed: number;
  /** Milliseconds for each target. */
  readonly time: number;
  /** Cases of each target at most. */
  readonly most: number;
  /** Milliseconds that a case may take: whoever waits behind it waits as long. */
  readonly longest: number;
}

export interface Fuzzed {
  readonly target: string;
  readonly cases: number;
  /** Milliseconds of the slowest case. */
  readonly slowest: number;
  /** The smallest case that fails, and why; undefined where none does. */
  readonly failure: string | undefined;
}

/** Reads cases until the time is over. A failure is made as small as it can be, and told with its seed and path. */
export function fuzz({ name, cases, run }: Target, options: FuzzOptions): Fuzzed {
  const { seed, time, most, longest } = options;
  let slowest = 0;
  let count = 0;
  const property = fc.property(cases, (input) => {
    count += 1;
    const began = performance.now();
    run(input as never);
    const took = performance.now() - began;
    // A pause of the machine is no stall of ours: what is slow is slow again.
    if (took > longest && againTakes(() => run(input as never)) > longest)
      throw new Error(`a stall of ${Math.round(took)} ms`);
    slowest = Math.max(slowest, took);
  });
  const outcome = fc.check(property, {
    seed,
    numRuns: most,
    interruptAfterTimeLimit: time,
    markInterruptAsFailure: false,
  });
  return {
    target: name,
    cases: count,
    slowest,
    failure: outcome.failed ? fc.defaultReportMessage(outcome) : undefined,
  };
}

function againTakes(step: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let time = 0; time < 3; time += 1) {
    const began = performance.now();
    step();
    least = Math.min(least, performance.now() - began);
  }
  return least;
}
