import { type MakeRouter, routers, runBy } from "./routers.ts";
import type { Run } from "./simulate.ts";
import type { Trace } from "./trace.ts";
import { withQueues } from "./with-queues.ts";

/** Runs a trace for a seed; undefined if it cannot serve it. */
export type Contender = (trace: Trace, seed: number) => Run | undefined;

export const byRouter =
  (make: MakeRouter): Contender =>
  (trace, seed) =>
    runBy(make, trace, seed);

/** All that a trace can be given to: what only chooses, and pickers whose requests wait in their queues. */
export const contenders: Readonly<Record<string, Contender>> = {
  ...Object.fromEntries(Object.entries(routers).map(([name, make]) => [name, byRouter(make)])),
  "planned, with queues": (trace, seed) => withQueues(trace, seed),
  "planned, with queues, slots known": (trace, seed) =>
    withQueues(trace, seed, { knowsSlots: true }),
  "planned, with queues, 3 replicas": (trace, seed) => withQueues(trace, seed, { replicas: 3 }),
};
