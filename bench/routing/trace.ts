import type { SimulationOptions } from "../../testing/model-server/simulation.ts";

/** Requests over time to a pool of model servers, made of a seed: what a router is judged by. */
export interface Trace {
  readonly name: string;
  readonly pods: number;
  /** Engines of all pods; of one pod by its index. */
  readonly engine?: SimulationOptions;
  readonly engineOf?: Readonly<Record<number, SimulationOptions>>;
  /** Pods that prefill for the others, by index. */
  readonly prefillers?: readonly number[];
  readonly requests: readonly Arrival[];
  readonly changes?: readonly PodChange[];
  /** Milliseconds from which requests count; before, caches warm up. */
  readonly measureFrom: number;
  /** Milliseconds from which no request follows another one. Default: never. */
  readonly endsAt?: number;
}

export interface Arrival {
  /** Milliseconds. */
  readonly at: number;
  readonly prompt: string;
  /** The answer as it appears in the next prompt of its conversation. */
  readonly answer?: string;
  readonly outputTokens: number;
  readonly tenant?: string;
  /** The request that follows its answer, in a closed loop. */
  readonly next?: { readonly afterMs: number; readonly arrival: Arrival };
  /** Whether every pod responds with status 500. Default false. */
  readonly fails?: boolean;
}

/** A trace that ends `seconds` seconds after it begins to count. */
export function upTo(seconds: number, trace: Trace): Trace {
  const until = trace.measureFrom + seconds * 1_000;
  return { ...trace, requests: trace.requests.filter(({ at }) => at < until) };
}

/** The strategy by which a trace's pool is planned. */
export const strategyOf = ({
  prefillers,
}: {
  readonly prefillers?: Trace["prefillers"] | undefined;
}) => (prefillers === undefined ? "prefix-cache" : "pd-disaggregation");

/**
 * Changes of a pod:
 * - `joins` the pool: it is not there before;
 * - `leaves` it, and answers what it has;
 * - `dies` with all that it has;
 * - `hangs`: it accepts requests but answers none, and its metrics cannot be read;
 * - `slows`: each step takes ten times as long, until it `recovers`;
 * - `metrics stop` while it answers on, or `metrics freeze` at their last values, until `metrics go on`.
 */
export interface PodChange {
  readonly at: number;
  readonly pod: number;
  readonly change:
    | "joins"
    | "leaves"
    | "dies"
    | "hangs"
    | "slows"
    | "recovers"
    | "metrics stop"
    | "metrics freeze"
    | "metrics go on";
}
