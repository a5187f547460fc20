/** What the endpoint pickers of a pool say about one LLMService. */
export interface ServiceReport {
  /** Requests for its models since the pickers started. */
  readonly requests: number;
  readonly objectives: readonly ObservedObjective[];
  /** Targets for which the last answer of a pod was 404. */
  readonly missingTargets: readonly MissingTarget[];
}

/** What a latency is of, in words that follow it. */
export type LatencyMeasure = "per output token" | "to the first token";

export interface ObservedObjective {
  readonly model: string;
  readonly measure: LatencyMeasure;
  /** Seconds. */
  readonly objective: number;
  /** P95 within the pickers' window, the worst of all pickers; undefined without requests. */
  readonly p95: number | undefined;
}

export interface MissingTarget {
  readonly model: string;
  readonly target: string;
  /** `namespace/name` of the pod. */
  readonly pod: string;
}

/** A report, or why there is none. */
export type PickerReading =
  | { readonly report: ServiceReport; readonly problem?: never }
  | { readonly report?: never; readonly problem: string };
