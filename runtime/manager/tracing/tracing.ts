import type { Log } from "../log.ts";

/** Attribute values that OpenTelemetry supports. */
export type AttributeValue = string | number | boolean | readonly string[] | readonly number[];
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>;

/** Headers of a request, by lower-case name. */
export interface TraceCarrier {
  get(name: string): string | undefined;
}

/** A span that has not ended. Times are milliseconds of `performance.now()`; the default is now. */
export interface ActiveSpan {
  /** Whether the span is sampled. Attributes are collected only for sampled spans. */
  readonly isRecorded: boolean;
  /** Headers that pass the trace to the next server. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
  /** Starts a child span. */
  child(name: string, attributes?: Attributes, startedAt?: number): ActiveSpan;
  /** Adds an event at a point in time. */
  event(name: string, attributes: Attributes, at?: number): void;
  set(attributes: Attributes): void;
  /** Marks the span as failed. */
  fail(message: string): void;
  end(at?: number): void;
}

/** Starts spans, and sends ended ones to a collector. */
export interface Tracing {
  /** Starts the span of a received request, in the trace of its headers. */
  receive(name: string, headers: TraceCarrier, startedAt?: number): ActiveSpan;
  /** Sends the remaining spans. */
  close(): Promise<void>;
}

export interface TracingOptions {
  /** URL of an OTLP receiver for gRPC. */
  readonly endpoint: string;
  /** Share of new traces that are sampled. Requests with a trace keep the caller's decision. */
  readonly sampleRatio: number;
  /** Attributes of the sender: names of service, pod and namespace. */
  readonly resource: Attributes;
}

/** Opens tracing. Returns undefined, and loads nothing, if tracing is off. */
export const openTracing = async (
  options: TracingOptions | undefined,
  log: Log,
): Promise<Tracing | undefined> =>
  options && (await import("./otlp-tracing.ts")).otlpTracing(options, log);
