import type { Log } from "../log.ts";

/** Values of attributes, as OpenTelemetry has them. */
export type AttributeValue = string | number | boolean | readonly string[] | readonly number[];
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>;

/** Headers of a request, by their names in lower case. */
export interface TraceCarrier {
  get(name: string): string | undefined;
}

/** A span that runs. Times are milliseconds of `performance.now()`; without one it is now. */
export interface ActiveSpan {
  /** Whether anybody will read it: facts are gathered for those alone. */
  readonly isRecorded: boolean;
  /** The headers under which the next server begins its own spans. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
  /** Begins a span under this one. */
  child(name: string, attributes?: Attributes, startedAt?: number): ActiveSpan;
  /** Something that happened at a moment. */
  event(name: string, attributes: Attributes, at?: number): void;
  set(attributes: Attributes): void;
  /** The span did not do what it was to do. */
  fail(message: string): void;
  end(at?: number): void;
}

/** Begins spans, and sends those that ended to a collector. */
export interface Tracing {
  /** Begins the span of a request that a server got, under the trace that its headers name. */
  receive(name: string, headers: TraceCarrier, startedAt?: number): ActiveSpan;
  /** Sends what is left. */
  close(): Promise<void>;
}

export interface TracingOptions {
  /** URL of an OTLP receiver that takes gRPC. */
  readonly endpoint: string;
  /** Share of the traces that begin here; others are recorded where the one before recorded them. */
  readonly sampleRatio: number;
  /** What every span is of: names of service, pod and namespace. */
  readonly resource: Attributes;
}

/** Opens what sends spans; undefined, and nothing is loaded, where nobody is to get any. */
export const openTracing = async (
  options: TracingOptions | undefined,
  log: Log,
): Promise<Tracing | undefined> =>
  options && (await import("./otlp-tracing.ts")).otlpTracing(options, log);
