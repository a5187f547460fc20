import { simulationDefaults } from "../../testing/model-server/simulation.ts";
import { overload } from "./flow-pool.ts";
import type { Run } from "./simulate.ts";
import type { Trace } from "./trace.ts";

/** Milliseconds after the last arrival at which what is not answered has failed. */
const patience = 600_000;

interface Planned {
  /** Pickers of the pool. Default 1. */
  readonly replicas?: number;
  /** Whether the plan knows the slots of the engines, as for an InferenceService. Default: false, as for an LLMServerPool. */
  readonly knowsSlots?: boolean;
}

/** A trace behind a planned picker, where requests wait in its queues. */
export function withQueues(
  trace: Trace,
  seed: number,
  { replicas = 1, knowsSlots = false }: Planned = {},
): Run {
  const { pods, engine, engineOf, prefillers, changes, requests, endsAt } = trace;
  const arrivals = requests.map((request) => ({
    ...request,
    flow: { id: request.tenant ?? "all", priority: 0 },
  }));
  const until = (endsAt ?? requests.at(-1)?.at ?? 0) + patience;
  const run = overload({
    ...{ pods, arrivals, until, seed, replicas },
    requestSlots: knowsSlots ? { ...simulationDefaults, ...engine }.maxSequences : undefined,
    ...(engine && { engine }),
    ...(engineOf && { engineOf }),
    ...(prefillers && { prefillers }),
    ...(changes && { changes }),
    ...(endsAt && { endsAt }),
  });
  return {
    outcomes: run.answers.map(({ outcome }) => outcome),
    waiting: run.waiting,
  };
}
