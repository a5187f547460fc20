import { pickerDrain } from "../../../sdk/spec/picker-drain.ts";
import { defaultStreamLimits } from "../../endpoint-picker/server/open-streams.ts";
import { limits } from "../../limits.ts";
import { byteSize } from "../../manager/flags/byte-size.ts";
import type { Flag, FlagTable } from "../../manager/flags/command-line.ts";
import { duration } from "../../manager/flags/duration.ts";
import {
  boolean,
  integer,
  listOf,
  oneOf,
  port,
  text,
  textOf,
} from "../../manager/flags/flag-type.ts";
import { cipherSuites, tlsVersions } from "../../manager/tls/go-names.ts";
import { importTable } from "../import-picker/import-table.ts";

/** Heading of the flags that the upstream picker has and this one needs not. */
export const withoutEffect = "Accepted without effect";

/**
 * The flags of the endpoint picker: those of the upstream picker (llm-d-router, pkg/epp/server/options.go) by the same
 * names, with the same defaults, so that its manifests start this one unchanged; and a few of our own.
 */
export const flagTable = {
  poolName: {
    name: "pool-name",
    group: "Pool",
    summary: "Name of the InferencePool that this picker picks for.",
    type: textOf("NAME"),
    default: undefined,
  },
  poolNamespace: {
    name: "pool-namespace",
    group: "Pool",
    summary:
      "Its namespace; without the flag that of the environment variable NAMESPACE, else default.",
    type: textOf("NAMESPACE"),
    default: undefined,
  },
  poolGroup: {
    name: "pool-group",
    group: "Pool",
    summary: "API group of the InferencePool.",
    type: textOf("GROUP"),
    default: "inference.networking.k8s.io",
  },
  endpointSelector: {
    name: "endpoint-selector",
    group: "Pool",
    summary: "Label selector of the model servers' pods, in place of an InferencePool.",
    type: textOf("SELECTOR"),
    default: undefined,
  },
  endpointTargetPorts: {
    name: "endpoint-target-ports",
    group: "Pool",
    summary: "Ports of the pods of --endpoint-selector, one to eight.",
    type: listOf(integer(1, 65_535, "PORT")),
    default: [],
  },
  fileSource: {
    name: "file-source",
    group: "Pool",
    summary:
      "Reads InferencePool, Pods, InferenceObjectives, InferenceModelRewrites and LLMServices, or the InferencePoolImport, from a YAML file, and again when it changes; no Kubernetes is needed.",
    type: textOf("FILE"),
    default: undefined,
  },

  ...importTable,

  configFile: {
    name: "config-file",
    group: "Scheduling",
    summary: "EndpointPickerConfig to schedule by; without one the default profile.",
    type: textOf("FILE"),
    default: undefined,
  },
  configText: {
    name: "config-text",
    group: "Scheduling",
    summary: "EndpointPickerConfig as text, in place of --config-file.",
    type: textOf("YAML"),
    default: undefined,
  },
  refreshMetricsInterval: {
    name: "refresh-metrics-interval",
    group: "Scheduling",
    summary: "Time between two readings of a model server's metrics; 50ms at least.",
    type: duration,
    default: 50,
  },
  metricsStalenessThreshold: {
    name: "metrics-staleness-threshold",
    group: "Scheduling",
    summary: "Age from which a reading is not believed: the server loses its score until the next.",
    type: duration,
    default: 2_000,
  },
  disableEndpointSubsetFilter: {
    name: "disable-endpoint-subset-filter",
    group: "Scheduling",
    summary: "Picks from the whole pool even where the proxy names a subset.",
    type: boolean,
    default: false,
  },
  emitEndpointScores: {
    name: "emit-endpoint-scores",
    group: "Scheduling",
    summary: "Tells the proxy every endpoint's score, in dynamic metadata of namespace envoy.lb.",
    type: boolean,
    default: false,
  },
  trustModelNameHeader: {
    name: "trust-model-name-header",
    group: "Scheduling",
    summary:
      "Leaves a request unrewritten whose header X-Gateway-Model-Name equals its model. Only behind a proxy that drops the header of clients.",
    type: boolean,
    default: false,
  },
  modelRewriteHeader: {
    name: "model-rewrite-header",
    group: "Scheduling",
    summary:
      "Heeds x-llm-d-model-name-rewrite, by which a client names the model that the server is asked for where no rule does.",
    type: boolean,
    default: false,
  },
  conformanceHeaders: {
    name: "conformance-headers",
    group: "Scheduling",
    summary:
      "Heeds test-epp-endpoint-selection, by which the conformance suite of InferencePool names endpoints, and tells it who served. Any client could then name its pod, so only for conformance tests.",
    type: boolean,
    default: false,
  },
  servedEndpointHeader: {
    name: "served-endpoint-header",
    group: "Scheduling",
    summary:
      "Names the endpoint that served, as ip:port, in response header x-gateway-destination-endpoint-served to a request that carries this header. `pulumi-inference request` asks for it.",
    type: boolean,
    default: true,
  },
  followResponses: {
    name: "follow-responses",
    group: "Scheduling",
    summary:
      "Follows every response to its end, for the metrics of responses: duration, first token, tokens, bytes, status. Without the flag the picker leaves a request when it has its endpoint, where the proxy is Envoy, no name has to be restored and no LLMService counts it; its end then breaks no answer.",
    type: boolean,
    default: false,
  },

  grpcPort: {
    name: "grpc-port",
    group: "Serving",
    summary: "Port of the ext_proc service, for proxies.",
    type: port,
    default: 9_002,
  },
  grpcHealthPort: {
    name: "grpc-health-port",
    group: "Serving",
    summary: "Port of the gRPC health service, for probes.",
    type: port,
    default: 9_003,
  },
  healthChecking: {
    name: "health-checking",
    group: "Serving",
    summary: "Serves the health service on --grpc-port too.",
    type: boolean,
    default: false,
  },
  grpcMaxRecvMsgSize: {
    name: "grpc-max-recv-msg-size",
    group: "Serving",
    summary:
      "Largest message that is taken from a proxy; without the flag 1 MiB more than the largest body.",
    type: byteSize,
    default: undefined,
  },
  maxRequestBodySize: {
    name: "max-request-body-size",
    group: "Serving",
    summary: "Largest body of a request; larger ones are refused with 413.",
    type: byteSize,
    default: limits.requestBody.value,
  },
  maxBufferedBodySize: {
    name: "max-buffered-body-size",
    group: "Serving",
    summary:
      "Bytes of all bodies that are held until they are whole; without the flag a quarter of the heap. Requests for which there is no room are refused with 503.",
    type: byteSize,
    default: undefined,
  },
  drainTimeout: {
    name: "drain-timeout",
    group: "Serving",
    summary:
      "Time after SIGTERM in which requests are still taken, while proxies learn to go elsewhere.",
    type: duration,
    default: 1_000 * pickerDrain.window,
  },
  shutdownTimeout: {
    name: "shutdown-timeout",
    group: "Serving",
    summary: "Time after --drain-timeout for which running answers may go on; then they end too.",
    type: duration,
    default: 1_000 * pickerDrain.answers,
  },
  requestTimeout: {
    name: "request-timeout",
    group: "Serving",
    summary: "Time in which a request must have come in full; then the client is answered 408.",
    type: duration,
    default: defaultStreamLimits.requestTimeout,
  },
  maxStreamAge: {
    name: "max-stream-age",
    group: "Serving",
    summary:
      "Age at which a stream of a proxy is ended, and a request counts no more whose end nobody saw.",
    type: duration,
    default: defaultStreamLimits.maxStreamAge,
  },
  haEnableLeaderElection: {
    name: "ha-enable-leader-election",
    group: "Serving",
    summary: "Only one of several replicas is ready; the others stand by.",
    type: boolean,
    default: false,
  },

  secureServing: {
    name: "secure-serving",
    group: "TLS",
    summary: "Serves ext_proc over TLS.",
    type: boolean,
    default: true,
  },
  certPath: {
    name: "cert-path",
    group: "TLS",
    summary:
      "Directory with tls.crt and tls.key; without one a self-signed certificate is made at start.",
    type: textOf("DIR"),
    default: undefined,
  },
  clientCaFile: {
    name: "client-ca-file",
    group: "TLS",
    summary:
      "Certificates of the CAs that gateways and other pickers must have a certificate of; without the flag they need none.",
    type: textOf("FILE"),
    default: undefined,
  },
  enableCertReload: {
    name: "enable-cert-reload",
    group: "TLS",
    summary: "Takes a new certificate of --cert-path without a restart.",
    type: boolean,
    default: false,
  },
  tlsMinVersion: {
    name: "tls-min-version",
    group: "TLS",
    summary: "Oldest TLS version that is spoken; without the flag VersionTLS12.",
    type: { ...oneOf(...tlsVersions.keys()), placeholder: "VERSION" },
    default: undefined,
  },
  tlsCipherSuites: {
    name: "tls-cipher-suites",
    group: "TLS",
    summary: "Cipher suites up to TLS 1.2, by Go's names; those of TLS 1.3 are always on.",
    type: listOf({ ...oneOf(...cipherSuites), placeholder: "SUITE" }),
    default: [],
  },

  metricsPort: {
    name: "metrics-port",
    group: "Metrics and logs",
    summary: "Port of /metrics and /debug.",
    type: port,
    default: 9_090,
  },
  metricsEndpointAuth: {
    name: "metrics-endpoint-auth",
    group: "Metrics and logs",
    summary:
      "Asks the API server who may read the metrics. Off by default with --file-source, which has no API server.",
    type: boolean,
    default: true,
  },
  metricsCertDir: {
    name: "metrics-cert-dir",
    group: "Metrics and logs",
    summary:
      "Directory with tls.crt and tls.key of the metrics port; without one it speaks plain HTTP.",
    type: textOf("DIR"),
    default: undefined,
  },
  metricsClientCaFile: {
    name: "metrics-client-ca-file",
    group: "Metrics and logs",
    summary: "Certificates of the CA that readers of the metrics port must have a certificate of.",
    type: textOf("FILE"),
    default: undefined,
  },
  objectiveWindow: {
    name: "objective-window",
    group: "Metrics and logs",
    summary:
      "Time over which the P95 of latency per output token is told, beside the objectives of LLMServices.",
    type: duration,
    default: 300_000,
  },
  verbosity: {
    name: "v",
    shorthand: "v",
    group: "Metrics and logs",
    summary: "Verbosity of the log; 4 and more show debug lines.",
    type: integer(-1, 127),
    default: 2,
  },
  zapLogLevel: {
    name: "zap-log-level",
    group: "Metrics and logs",
    summary: "Verbosity in zap's words (error, info, debug or a number); wins over -v.",
    type: {
      placeholder: "LEVEL",
      allowed: "error, info, debug or a number from 1 to 127",
      parse: (level: string) =>
        new Map([
          ["error", -1],
          ["info", 0],
          ["debug", 4],
        ]).get(level) ?? integer(1, 127).parse(level),
      show: String,
    },
    default: undefined,
  },

  tracing: {
    name: "tracing",
    group: withoutEffect,
    summary: "No traces are exported; the headers of a trace pass through unchanged.",
    type: boolean,
    default: false,
  },
  enablePprof: {
    name: "enable-pprof",
    group: withoutEffect,
    summary: "There is no pprof; set NODE_OPTIONS=--cpu-prof for a CPU profile.",
    type: boolean,
    default: false,
  },
  refreshPrometheusMetricsInterval: {
    name: "refresh-prometheus-metrics-interval",
    group: withoutEffect,
    summary: "The pool's gauges are computed whenever /metrics is read.",
    type: duration,
    default: undefined,
  },
  enableGrpcStreamMetrics: {
    name: "enable-grpc-stream-metrics",
    group: withoutEffect,
    summary: "The metrics of gRPC streams are always there.",
    type: boolean,
    default: true,
  },
  grpcMaxSendMsgSize: {
    name: "grpc-max-send-msg-size",
    group: withoutEffect,
    summary: "Answers are of 62 KB at most; longer bodies go in several.",
    type: byteSize,
    default: undefined,
  },
  allowExperimentalPlugins: {
    name: "allow-experimental-plugins",
    group: withoutEffect,
    summary: "Every plugin of this picker may be used.",
    type: boolean,
    default: true,
  },
  zapDevel: {
    name: "zap-devel",
    group: withoutEffect,
    summary: "The log is always JSON.",
    type: boolean,
    default: false,
  },
  zapEncoder: {
    name: "zap-encoder",
    group: withoutEffect,
    summary: "The log is always JSON.",
    type: text,
    default: "json",
  },
  zapStacktraceLevel: {
    name: "zap-stacktrace-level",
    group: withoutEffect,
    summary: "The log has no stack traces.",
    type: text,
    default: undefined,
  },
  zapTimeEncoding: {
    name: "zap-time-encoding",
    group: withoutEffect,
    summary: "Times in the log are RFC 3339.",
    type: text,
    default: "rfc3339",
  },

  totalQueuedRequestsMetric: refused("total-queued-requests-metric"),
  totalRunningRequestsMetric: refused("total-running-requests-metric"),
  kvCacheUsagePercentageMetric: refused("kv-cache-usage-percentage-metric"),
  loraInfoMetric: refused("lora-info-metric"),
  cacheInfoMetric: refused("cache-info-metric"),
} satisfies FlagTable;

/** A flag that the upstream picker refuses too. */
function refused(name: string): Flag<string> & { default: undefined } {
  return {
    name,
    group: "Refused",
    summary: "Names of metrics belong to engineConfigs in the EndpointPickerConfig.",
    type: {
      placeholder: "METRIC",
      allowed: "the metric in engineConfigs of the EndpointPickerConfig instead",
      parse: () => undefined,
      show: String,
    },
    default: undefined,
  };
}
