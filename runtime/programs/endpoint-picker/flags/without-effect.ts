import { byteSize } from "../../../manager/flags/byte-size.ts";
import type { Flag, FlagGroup } from "../../../manager/flags/command-line.ts";
import { duration } from "../../../manager/flags/duration.ts";
import { offByDefault, onByDefault, text } from "../../../manager/flags/flag-type.ts";

/** Flags of the upstream picker that this picker does not need. */
export const acceptedFlags = {
  title: "Accepted without effect",
  flags: {
    enablePprof: offByDefault(
      "enable-pprof",
      "There is no pprof; set NODE_OPTIONS=--cpu-prof for a CPU profile.",
    ),
    refreshPrometheusMetricsInterval: {
      name: "refresh-prometheus-metrics-interval",
      summary: "The pool's gauges are computed whenever /metrics is read.",
      type: duration,
    },
    enableGrpcStreamMetrics: onByDefault(
      "enable-grpc-stream-metrics",
      "The metrics of gRPC streams are always enabled.",
    ),
    grpcMaxSendMsgSize: {
      name: "grpc-max-send-msg-size",
      summary: "Messages have at most 62 KB; longer bodies are sent in several.",
      type: byteSize,
    },
    allowExperimentalPlugins: onByDefault(
      "allow-experimental-plugins",
      "Every plugin of this picker may be used.",
    ),
    zapDevel: offByDefault("zap-devel", "The log is always JSON."),
    zapEncoder: {
      name: "zap-encoder",
      summary: "The log is always JSON.",
      type: text,
      default: "json",
    },
    zapStacktraceLevel: {
      name: "zap-stacktrace-level",
      summary: "The log has no stack traces.",
      type: text,
    },
    zapTimeEncoding: {
      name: "zap-time-encoding",
      summary: "Times in the log are RFC 3339.",
      type: text,
      default: "rfc3339",
    },
  },
} satisfies FlagGroup;

/** Flags that the upstream picker rejects too. */
export const refusedFlags = {
  title: "Refused",
  flags: {
    totalQueuedRequestsMetric: refused("total-queued-requests-metric"),
    totalRunningRequestsMetric: refused("total-running-requests-metric"),
    kvCacheUsagePercentageMetric: refused("kv-cache-usage-percentage-metric"),
    loraInfoMetric: refused("lora-info-metric"),
    cacheInfoMetric: refused("cache-info-metric"),
  },
} satisfies FlagGroup;

function refused(name: string): Flag<string> {
  return {
    name,
    summary: "Names of metrics belong to engineConfigs in the EndpointPickerConfig.",
    type: {
      placeholder: "METRIC",
      allowed: "the metric in engineConfigs of the EndpointPickerConfig instead",
      parse: () => undefined,
      show: String,
    },
  };
}
