import fc from "fast-check";
import type { Target } from "./target.ts";

export interface FuzzOptions {
  readonly seed: number;
  /** Milliseconds for each target. */
  readonly time: number;
  /** Cases of each target at most. */
  readonly most: number;
  /** Milliseconds that a case may work: other requests wait for this time. */
  readonly longest: number;
}

export interface Fuzzed {
  readonly target: string;
  readonly cases: number;
  /** Milliseconds of work of the slowest case. */
  readonly slowest: number;
  /** The smallest case that fails, and why; undefined if none does. */
  readonly failure: string | undefined;
}

/** Reads cases until the time is over. A failure is shrunk and reported with its seed and path. */
export async function fuzz(
  { name, cases, run, examples, longest: own }: Target,
  { seed, time, most, longest: common }: FuzzOptions,
): Promise<Fuzzed> {
  const longest = Math.max(common, own);
  let slowest = 0;
  let count = 0;
  const property = fc.asyncProperty(cases, async (input) => {
    count += 1;
    let took = await workOf(() => run(input as never));
    // Other work of the process does not count as a stall of this case: a slow case is slow again.
    for (let again = 0; again < 3 && took > longest; again += 1)
      took = Math.min(took, await workOf(() => run(input as never)));
    if (took > longest) throw new Error(`a stall of ${Math.round(took)} ms`);
    slowest = Math.max(slowest, took);
  });
  const outcome = await fc.check(property, {
    seed,
    examples: examples.map((example): [unknown] => [example]),
    numRuns: most,
    interruptAfterTimeLimit: time,
    markInterruptAsFailure: false,
  });
  return {
    target: name,
    cases: count,
    slowest,
    // A run that ends before its first case counts as failed, without a case.
    failure:
      outcome.failed && outcome.counterexample !== null
        ? `${fc.defaultReportMessage(outcome)}\n${stackOf(outcome.errorInstance)}`
        : undefined,
  };
}

/** Milliseconds of this thread: others may use the machine. */
async function workOf(step: () => void | Promise<void>): Promise<number> {
  const began = process.threadCpuUsage();
  await step();
  const { user, system } = process.threadCpuUsage(began);
  return (user + system) / 1_000;
}

const stackOf = (error: unknown) => (error instanceof Error ? (error.stack ?? "") : String(error));
