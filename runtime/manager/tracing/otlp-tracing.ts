import {
  type Context,
  DiagLogLevel,
  diag,
  type Attributes as OtelAttributes,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type TextMapGetter,
  type TextMapSetter,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-grpc";
import { detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { version } from "../../../sdk/version.ts";
import type { Log } from "../log.ts";
import type { ActiveSpan, Attributes, TraceCarrier, Tracing, TracingOptions } from "./tracing.ts";

const propagator = new W3CTraceContextPropagator();

const getter: TextMapGetter<TraceCarrier> = {
  keys: () => [],
  get: (carrier, name) => carrier.get(name),
};

const setter: TextMapSetter<Array<[string, string]>> = {
  set: (carrier, name, value) => void carrier.push([name, value]),
};

/**
 * Returns a time of one clock for the start and the end of spans. OpenTelemetry takes the start from the wall clock in
 * whole milliseconds and the end from the monotonic clock, so a span could start before the previous span ended.
 */
const timeOf = (at: number = performance.now()): number => performance.timeOrigin + at;

/** Sends spans over OTLP in batches, with OpenTelemetry's own packages. */
export function otlpTracing(
  { endpoint, sampleRatio, resource }: TracingOptions,
  log: Log,
): Tracing {
  const warn = (message: string) => log.warn("spans are not sent", { endpoint, problem: message });
  diag.setLogger(
    { error: warn, warn, info() {}, debug() {}, verbose() {} },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const provider = new TracerProvider({
    // $OTEL_SERVICE_NAME and $OTEL_RESOURCE_ATTRIBUTES take precedence.
    resource: resourceFromAttributes(resource as OtelAttributes).merge(
      detectResources({ detectors: [envDetector] }),
    ),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampleRatio) }),
    spanProcessors: [
      new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: endpoint }) }),
    ],
  });
  const tracer = provider.getTracer("pulumi-inference", version);
  return {
    receive(name, headers, startedAt) {
      const parent = propagator.extract(ROOT_CONTEXT, headers, getter);
      const options = { kind: SpanKind.SERVER, startTime: timeOf(startedAt) };
      return new OtelSpan(tracer, parent, tracer.startSpan(name, options, parent));
    },
    close: () => provider.shutdown().catch((error: unknown) => warn(String(error))),
  };
}

class OtelSpan implements ActiveSpan {
  readonly #tracer: Tracer;
  readonly #context: Context;
  readonly #span: Span;

  constructor(tracer: Tracer, parent: Context, span: Span) {
    this.#tracer = tracer;
    this.#context = trace.setSpan(parent, span);
    this.#span = span;
  }

  get isRecorded(): boolean {
    return this.#span.isRecording();
  }

  get headers(): ActiveSpan["headers"] {
    const headers: Array<[string, string]> = [];
    propagator.inject(this.#context, headers, setter);
    return headers;
  }

  child(name: string, attributes: Attributes = {}, startedAt?: number): ActiveSpan {
    const options = { attributes: attributes as OtelAttributes, startTime: timeOf(startedAt) };
    const span = this.#tracer.startSpan(name, options, this.#context);
    return new OtelSpan(this.#tracer, this.#context, span);
  }

  event(name: string, attributes: Attributes, at?: number): void {
    this.#span.addEvent(name, attributes as OtelAttributes, timeOf(at));
  }

  set(attributes: Attributes): void {
    this.#span.setAttributes(attributes as OtelAttributes);
  }

  fail(message: string): void {
    this.#span.setStatus({ code: SpanStatusCode.ERROR, message });
  }

  end(at?: number): void {
    this.#span.end(timeOf(at));
  }
}
