import { join } from "node:path";
import {
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServiceDefinition,
  type sendUnaryData,
} from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";

type Attributes = Readonly<Record<string, unknown>>;

/** A span as it came. */
export interface ReceivedSpan {
  readonly service: unknown;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first of a trace. */
  readonly parentSpanId: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  readonly events: ReadonlyArray<{ readonly name: string; readonly attributes: Attributes }>;
  /** Error of the span's status; undefined if it has none. */
  readonly failure: string | undefined;
}

export interface OtlpReceiver {
  /** For `--otlp-endpoint`. */
  readonly endpoint: string;
  readonly spans: readonly ReceivedSpan[];
  stop(): void;
}

interface Value {
  readonly value?: string;
  readonly arrayValue?: { readonly values: readonly Value[] };
  readonly [kind: string]: unknown;
}
type KeyValues = ReadonlyArray<{ readonly key: string; readonly value: Value }>;

interface WireSpan {
  readonly name: string;
  readonly traceId: Buffer;
  readonly spanId: Buffer;
  readonly parentSpanId: Buffer;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: KeyValues;
  readonly events: ReadonlyArray<{ readonly name: string; readonly attributes: KeyValues }>;
  readonly status: { readonly code: number; readonly message: string } | null;
}

interface ExportRequest {
  readonly resourceSpans: ReadonlyArray<{
    readonly resource: { readonly attributes: KeyValues } | null;
    readonly scopeSpans: ReadonlyArray<{ readonly spans: readonly WireSpan[] }>;
  }>;
}

/** `STATUS_CODE_ERROR`. */
const failed = 2;

/** Stands in for an OpenTelemetry collector: takes spans over OTLP (gRPC), and keeps them. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const server = new Server();
  const loaded = loadSync(join(import.meta.dirname, "trace.proto"), {
    ...{ oneofs: true, defaults: true, longs: String },
  });
  server.addService(
    loaded["opentelemetry.proto.collector.trace.v1.TraceService"] as ServiceDefinition,
    {
      Export({ request }: ServerUnaryCall<ExportRequest, object>, answer: sendUnaryData<object>) {
        for (const { resource, scopeSpans } of request.resourceSpans) {
          const service = attributesOf(resource?.attributes ?? [])["service.name"];
          for (const span of scopeSpans.flatMap((scope) => scope.spans))
            spans.push({ service, ...received(span) });
        }
        answer(null, {});
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    ),
  );
  return { endpoint: `http://127.0.0.1:${port}`, spans, stop: () => server.forceShutdown() };
}

const received = (span: WireSpan): Omit<ReceivedSpan, "service"> => ({
  name: span.name,
  traceId: span.traceId.toString("hex"),
  spanId: span.spanId.toString("hex"),
  parentSpanId: span.parentSpanId.toString("hex"),
  startMs: Number(span.startTimeUnixNano) / 1e6,
  endMs: Number(span.endTimeUnixNano) / 1e6,
  attributes: attributesOf(span.attributes),
  events: span.events.map(({ name, attributes }) => ({
    name,
    attributes: attributesOf(attributes),
  })),
  failure: span.status?.code === failed ? span.status.message : undefined,
});

const attributesOf = (pairs: KeyValues): Attributes =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, plain(value)]));

function plain(any: Value): unknown {
  const kind = any.value as string;
  if (kind === "arrayValue") return any.arrayValue?.values.map(plain);
  return kind === "intValue" ? Number(any[kind]) : any[kind];
}
