/** Report of a pool's endpoint pickers about one LLMService. */
export interface ServiceReport {
  /** Requests for its models since the pickers started. */
  readonly requests: number;
  readonly objectives: readonly ObservedObjective[];
  /** Targets for which the last response of a pod was 404. */
  readonly missingTargets: readonly MissingTarget[];
}

/** The measured latency, as text to append to its value. */
export type LatencyMeasure = "per output token" | "to the first token";

export interface ObservedObjective {
  readonly model: string;
  readonly measure: LatencyMeasure;
  /** Seconds. */
  readonly objective: number;
  /** Highest P95 of all pickers within their window, in seconds; undefined without requests. */
  readonly p95: number | undefined;
}

export interface MissingTarget {
  readonly model: string;
  readonly target: string;
  /** `namespace/name` of the pod. */
  readonly pod: string;
}

/** A report, or the reason that there is none. */
export type PickerReading =
  | { readonly report: ServiceReport; readonly problem?: never }
  | { readonly report?: never; readonly problem: string };
