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
}

export interface Arrival {
  /** Milliseconds. */
  readonly at: number;
  readonly prompt: string;
  /** The answer as the next prompt of its conversation has it. */
  readonly answer?: string;
  readonly outputTokens: number;
  readonly tenant?: string;
}

/** A pod that goes or comes; it is not in the pool before it comes. */
export interface PodChange {
  readonly at: number;
  readonly pod: number;
  readonly change: "dies" | "joins";
}
