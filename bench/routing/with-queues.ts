import { overload } from "./flow-pool.ts";
import type { Run } from "./simulate.ts";
import type { Trace } from "./trace.ts";

/** Milliseconds after the last arrival at which what is not answered has failed. */
const patience = 120_000;

/**
 * A trace behind the planned picker of an LLMServerPool, where requests wait in its queues.
 *
 * @param replicas of the picker
 */
export function withQueues(trace: Trace, seed: number, replicas = 1): Run {
  const { pods, engine, engineOf, prefillers, changes, requests } = trace;
  const arrivals = requests.map((request) => ({
    ...request,
    flow: { id: request.tenant ?? "all", priority: 0 },
  }));
  const until = (requests.at(-1)?.at ?? 0) + patience;
  const run = overload({
    ...{ pods, arrivals, until, seed, replicas },
    ...(engine && { engine }),
    ...(engineOf && { engineOf }),
    ...(prefillers && { prefillers }),
    ...(changes && { changes }),
  });
  return {
    outcomes: run.answers.map(({ outcome }) => outcome),
    waiting: run.waiting,
  };
}
